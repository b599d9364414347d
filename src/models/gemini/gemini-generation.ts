/**
 * Whether a model is of a generation before Gemini 3: it takes thoughts by budget, no JSON beside
 * tools, and no media inside of a tool's result. A name that tells no generation counts as new.
 */
export const isBeforeGemini3 = (model: string): boolean => /gemini-(?:1|2)(?:\.\d+)?\b/.test(model);

/** Whether a model can summarise its thoughts. */
export const hasThoughts = (model: string): boolean =>
  /gemini-(?:2\.5|[3-9]|\d\d)/.test(model) && !/image|tts|audio|embedding/.test(model);
