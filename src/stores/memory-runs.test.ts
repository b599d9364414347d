import { testRunReaders } from "../../test/run-reader-tests.ts";
import { testRunStore } from "../../test/run-store-tests.ts";
import { memoryRuns } from "./memory-runs.ts";

testRunStore((clock) => memoryRuns({ clock }));
testRunReaders((clock) => memoryRuns({ clock }));
