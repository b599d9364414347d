/** Rows as text, the first one as heading; first column to the left, the others to the right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const format = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
  const [heading = [], ...body] = rows;
  return [
    format(heading),
    widths.map((width) => "-".repeat(width)).join("  "),
    ...body.map(format),
  ].join("\n");
}
