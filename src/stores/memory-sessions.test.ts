import { testSessionStore } from "../../test/session-store-tests.ts";
import { memorySessions } from "./memory-sessions.ts";

testSessionStore((clock) => memorySessions({ clock }));
