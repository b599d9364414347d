import { describe } from "vitest";
import { allProviders } from "./all-providers.ts";
import { answerCases } from "./answer-cases.ts";
import { abortCases, brokenAnswerCases, connectionCases, statusCases } from "./failure-cases.ts";
import { contentCases, historyCases, requestCases } from "./request-cases.ts";

describe.each(allProviders)("with $name", (provider) => {
  answerCases(provider);
  statusCases(provider);
  brokenAnswerCases(provider);
  abortCases(provider);
  connectionCases(provider);
  historyCases(provider);
  contentCases(provider);
  requestCases(provider);
});
