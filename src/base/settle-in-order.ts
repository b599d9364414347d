/** Like `Promise.allSettled`, with at most so many at once; they begin in order. */
export async function settleInOrder<Item, Value>(
  items: readonly Item[],
  concurrency: number,
  settle: (item: Item) => Promise<Value>,
): Promise<readonly PromiseSettledResult<Value>[]> {
  const settled: Promise<PromiseSettledResult<Value>[]>[] = [];
  const running = new Set<Promise<unknown>>();
  for (const item of items) {
    if (running.size >= concurrency) {
      await Promise.race(running);
    }
    const one = Promise.allSettled([settle(item)]).finally(() => running.delete(one));
    running.add(one);
    settled.push(one);
  }
  return (await Promise.all(settled)).flat();
}
