import type { JsonLimits } from '#wire/text/json-tape.ts'

/** An answer repeats its request's tools and schemas one level deeper than the request had them, beside all that was written. */
export const answerLimits: JsonLimits = { depthMax: 128, valuesMax: 1_000_000 }
