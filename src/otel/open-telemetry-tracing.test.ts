import { openSdk3 } from "../../test/sdk-3.ts";
import { testTracing } from "../../test/tracing-tests.ts";

testTracing(openSdk3);
