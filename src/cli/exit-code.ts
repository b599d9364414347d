/**
 * What the process ends with: 0 where the run completed; 1 where it failed on its way (the model, for
 * example, or a tool that reports an error), or pins differ; 2 for bad input, a server that cannot be used, and a run
 * that was stopped.
 */
export type ExitCode = 0 | 1 | 2;
