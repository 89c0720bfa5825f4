import type { Effort } from './neutral-format.ts'

/**
 * The restrictions of models are used only for conversions, because the client cannot know what the model behind the
 * alias accepts. A field that the model would reject is omitted and reported. If a model name is unknown, the model is
 * assumed to accept everything.
 */

/**
 * Such a model chooses its own sampling and accepts no stop sequences (docs/reference/wires.md "Requests on the chat
 * wire", docs/reference/conversions.md "Sampling and limits").
 */
export function isOpenaiReasoner(model: string): boolean {
  return /^(?:o\d|gpt-[5-9]|codex)/.test(model)
}

/** Models of OpenAI that cannot reason reject an effort and `prompt_cache_breakpoint`. */
export function isOpenaiPlain(model: string): boolean {
  return /^(?:gpt-[34]|chatgpt-)/.test(model)
}

/**
 * The efforts that a model of OpenAI accepts, in ascending order. The model rejects all other efforts with
 * `unsupported_value` (docs/reference/wires.md "Requests on the chat wire"). Null for an unknown model.
 */
export function openaiEffortsOf(model: string): readonly Effort[] | null {
  return openaiEfforts.find(([models]) => models.test(model))?.[1] ?? null
}

/** The first row that matches counts. */
const openaiEfforts: readonly (readonly [models: RegExp, efforts: readonly Effort[]])[] = [
  [/^(?:gpt-[5-9][\d.]*-chat)/, ['medium']],
  [/^(?:o\d|codex-mini)/, ['low', 'medium', 'high']],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5(?:\.1)?-codex(?!-max)/, ['low', 'medium', 'high']],
  [/^gpt-5(?![.\d])/, ['minimal', 'low', 'medium', 'high']],
  [/^gpt-5\.1(?!\d|-codex)/, ['none', 'low', 'medium', 'high']],
  [/^gpt-5\.[2-5]-pro/, ['medium', 'high', 'xhigh']],
  [/^gpt-5\.[1-5]-codex/, ['low', 'medium', 'high', 'xhigh']],
  [/^gpt-5\.[2-5](?!\d)/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^gpt-6-astra/, ['low', 'medium', 'high', 'xhigh', 'max']],
  [/^gpt-(?:5\.\d|[6-9])/, ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
]

/**
 * Whether a model of OpenAI rejects the effort in chat completions if the request has tools, but accepts the effort
 * `none` (docs/reference/wires.md "Requests on the chat wire").
 * @param effort null if the request leaves the effort to the model
 */
export function rejectsEffortWithTools(model: string, effort: Effort | null): boolean {
  if (effort === 'none' || openaiEffortsOf(model)?.includes('none') !== true) return false
  // Until GPT-5.4, the default effort is `none`.
  return effort === null
    ? /^gpt-(?:5\.(?:[5-9]|\d\d)|[6-9])/.test(model)
    : /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9])/.test(model)
}

/** Amazon's own models accept stop sequences and cache breakpoints (docs/reference/wires.md "Bedrock"). */
export function isNova(model: string): boolean {
  return /(?:^|[./])amazon\.nova/.test(model)
}

/** A Cohere model that thinks accepts the field `thinking`. */
export function isCohereReasoner(model: string): boolean {
  return /^command-a-(?:reasoning|plus)/.test(model)
}

/**
 * Older models reject options that newer models require, and vice versa (docs/reference/wires.md "Two API versions of
 * the messages wire", docs/reference/conversions.md "Effort and thinking", "Sampling and limits", "Roles and
 * instructions"). A converted request must not fail because of a field that the gateway added. A model with an unknown
 * ID is treated as one of the newest models.
 */
export interface ModelAbilities {
  /** With `adaptive`, the model decides how long to think, based on an effort. `budget` requires a number of tokens. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  readonly hasHighestEfforts: boolean
  readonly takesSampling: boolean
  readonly continuesAnswers: boolean
  /** Whether the provider enforces a response schema. */
  readonly enforcesSchemas: boolean
}

export function abilitiesOf(model: string): ModelAbilities {
  // Compatible servers with other models support the oldest version of the messages wire.
  if (!model.includes('claude')) return before46
  const version = versionOf(model)
  if (version < 3.7) return { ...before46, thinking: 'none', enforcesSchemas: false }
  if (version < 4.1) return { ...before46, enforcesSchemas: false }
  if (version < 4.6) return before46
  return version < 4.7 ? { ...newest, hasHighestEfforts: false, takesSampling: true } : newest
}

const before46: ModelAbilities = {
  thinking: 'budget',
  hasHighestEfforts: false,
  takesSampling: true,
  continuesAnswers: true,
  enforcesSchemas: true,
}
const newest: ModelAbilities = {
  thinking: 'adaptive',
  hasHighestEfforts: true,
  takesSampling: false,
  continuesAnswers: false,
  enforcesSchemas: true,
}

/** `claude-opus-4-5-20251101` is version 4.5, and `claude-3-7-sonnet-latest` is version 3.7. */
function versionOf(model: string): number {
  const [, major, minor] = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  if (major === undefined) return model.includes('claude-instant') ? 1 : Infinity
  return Number(`${major}.${minor ?? 0}`)
}
