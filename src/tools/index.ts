export { type CatFactsOptions, catFacts, createCatFacts } from "./cat-facts.ts";
