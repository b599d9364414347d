/** How many checks each scenario has, by the version of the suite and what is asked of it. */
export const leastChecks: Readonly<Record<string, Readonly<Record<string, number>>>> = {};
