import { isClaude, kindFacts } from './provider-kinds.ts'
import { publishedPrices } from '#domain/prices/published-prices.ts'
import type { ProviderAccount } from '#domain/application-config.ts'

/** Null if the vendor does not publish the number. */
export interface ModelLimits {
  readonly contextTokens: number | null
  readonly outputTokens: number | null
}

/**
 * The model is found by its exact ID or by its family in the vendor's documentation. If the kind of the account is a
 * vendor, such as `anthropic`, the limits apply at any address. If the kind is `openai_compatible`, only limits apply
 * that are published for the account's address.
 */
export function modelLimits(
  account: Pick<ProviderAccount, 'kind' | 'baseUrl'>,
  model: string,
  atMs: number,
): ModelLimits {
  const { kind } = account
  const isVendors = kindFacts(kind).place === 'vendor'
  const vendor = isVendors ? kind : (publishedPrices.providerOf(account)?.id ?? null)
  if (vendor === null) return { contextTokens: null, outputTokens: null }
  const listed = publishedPrices.model(vendor, model, atMs)
  return {
    contextTokens: listed?.contextTokens ?? null,
    outputTokens: listed?.outputTokensMax ?? outputTokensOf(vendorOf(vendor, model), model),
  }
}

/**
 * Returns whether the model's name shows that the model may reason for a long time before its first text. A limit on
 * the time to the first text would interrupt the reasoning, and the next attempt would bill the reasoning again.
 * Unknown models are assumed to write immediately.
 */
export function mayReason(model: string): boolean {
  return reasoningModels.test(model)
}

/**
 * Families of models that reason before they write, at any provider. The list is based on the vendors' pages on
 * 2026-11-22. Models that reason only on request are not in the list, because the request shows whether the model
 * reasons.
 */
const reasoningModels =
  /(?:^|[/:_-])(?:o[1-9](?:[.:-]|$)|gpt-[5-9](?!\S*chat)|gpt-oss|gemini-(?:2\.5|[3-9])|grok-(?:[4-9]|3-mini)|deepseek-r\d|r1(?:[.:-]|$)|qwq|magistral|glm-(?:4\.[5-9]|[5-9])|kimi-k2-thinking|minimax-m)|reason|think/i

/** Vertex AI serves the models of two vendors. */
function vendorOf(provider: string, model: string): string {
  if (provider !== 'vertex') return provider
  return isClaude(model) ? 'anthropic' : 'google'
}

function outputTokensOf(vendor: string, model: string): number | null {
  return families.find((one) => one.vendor === vendor && one.ids.test(model))?.outputTokens ?? null
}

interface Family {
  readonly vendor: string
  readonly ids: RegExp
  readonly outputTokens: number
}

/**
 * The maximum output tokens that a request may set, according to the vendors' pages on 2026-11-22
 * (docs.claude.com/en/docs/about-claude/models/overview, platform.openai.com/docs/models,
 * ai.google.dev/gemini-api/docs/models). The first row that matches a model applies. A model ID also matches a row if a
 * date, `-latest` or a version number follows the listed name.
 */
const families: readonly Family[] = [
  family('anthropic', 'claude-instant-1|claude-2', 4_096),
  family('anthropic', 'claude-3-(?:opus|sonnet|haiku)', 4_096),
  family('anthropic', 'claude-3-5-(?:sonnet|haiku)', 8_192),
  family('anthropic', 'claude-3-7-sonnet', 64_000),
  family('anthropic', 'claude-opus-4(?:-0|-1)?', 32_000),
  family('anthropic', 'claude-opus-4-5', 64_000),
  family('anthropic', 'claude-opus-4-6', 128_000),
  family('anthropic', 'claude-sonnet-4(?:-0|-5|-6)?', 64_000),
  family('anthropic', 'claude-haiku-4-5', 64_000),
  family('openai', 'gpt-3\\.5-turbo', 4_096),
  family('openai', 'gpt-4o-2024-05-13', 4_096),
  family('openai', 'gpt-4-turbo', 4_096),
  family('openai', 'gpt-4', 8_192),
  family('openai', 'gpt-4o(?:-mini)?|chatgpt-4o', 16_384),
  family('openai', 'gpt-4\\.1(?:-mini|-nano)?', 32_768),
  family('openai', 'gpt-5-chat', 16_384),
  family('openai', 'gpt-5(?:-mini|-nano)?', 128_000),
  family('openai', 'o1|o3|o3-mini|o4-mini', 100_000),
  family('google', 'gemini-1\\.5-(?:pro|flash|flash-8b)', 8_192),
  family('google', 'gemini-2\\.0-flash(?:-lite)?', 8_192),
  family('google', 'gemini-2\\.5-(?:pro|flash|flash-lite)', 65_536),
]

function family(vendor: string, ids: string, outputTokens: number): Family {
  const suffix = '(?:[-@]\\d{8}|-\\d{4}-\\d{2}-\\d{2}|-\\d{4}|-\\d{3}|-latest)?'
  return { vendor, ids: new RegExp(`^(?:${ids})${suffix}$`), outputTokens }
}
