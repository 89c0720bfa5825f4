import type { ProviderAccount } from '#domain/application-config.ts'

/**
 * Returns whether a model other than the requested one has responded (docs/decisions/2026-11-23-disputed-costs.md).
 * Providers write the name of one model in many ways. Names are therefore compared by their words, without the
 * following parts:
 *
 * - vendors and paths before the name: `models/`, `publishers/google/models/`, `accounts/x/models/`, `openai/`,
 *   `us.anthropic.`;
 * - variants after the name: `:free`, `@20250929`;
 * - snapshots at the end of the name: a date, a number of three digits or more, and the words `latest`, `preview`,
 *   `exp`;
 * - separators, and the order of words: `claude-3.5-sonnet` is `claude-3-5-sonnet`, `claude-4.5-sonnet` is
 *   `claude-sonnet-4-5`.
 *
 * Apart from these differences, both names must have the same words: `gpt-4o` is not `gpt-4o-mini`, and
 * `gemini-2.5-flash` is not `gemini-2.5-pro`. If a request names `latest` without a version, any version may respond.
 */
export function isAnotherModel(requested: string, answered: string): boolean {
  if (requested === answered || answered === '') return false
  // No model has a longer name, and comparing the words of a very long text would delay other requests.
  if (answered.length > nameLengthMax) return true
  // Skip the comparison of words in the usual case: the response contains the requested name, followed by a date.
  if (answered.startsWith(requested) && dated.test(answered.slice(requested.length))) return false
  const asked = modelOf(requested)
  const given = modelOf(answered)
  if (asked.words === given.words) return false
  return !(asked.isLatest && given.family === asked.words)
}

/**
 * Whether the customer chooses the model names of the account, as for Azure deployments. In a response, a model name
 * that the customer chose does not show which model responded.
 */
export function hasOwnModelNames({ baseUrl, kind }: Pick<ProviderAccount, 'baseUrl' | 'kind'>): boolean {
  return kind === 'azure_openai' || (baseUrl !== null && ownNames.test(baseUrl))
}

const ownNames =
  /^https?:\/\/[^/]+\.(?:openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)(?:[:/]|$)|\/deployments(?:\/|$)/i

const nameLengthMax = 512

interface ModelName {
  /**
   * The words of the model name, sorted. Dates, `latest` and other words that name a snapshot of the model are omitted.
   */
  readonly words: string
  /** The words that are not version numbers. */
  readonly family: string
  readonly isLatest: boolean
}

function modelOf(name: string): ModelName {
  let rest = name.toLowerCase()
  rest = rest.slice(rest.lastIndexOf('/') + 1).replace(/[:@].*$/, '')
  rest = rest.replace(
    /^(?:(?:us|eu|apac|global)\.)?(?:anthropic|meta|mistral|amazon|cohere|deepseek|openai)\./,
    '',
  )
  const isLatest = rest.endsWith('-latest')
  rest = rest.replace(/[._]/g, '-')
  for (let before = ''; before !== rest;) {
    before = rest
    rest = rest.replace(snapshot, '')
  }
  const words = rest.split('-').filter((word) => word !== '')
  return { words: sorted(words), family: sorted(words.filter((word) => !version.test(word))), isLatest }
}

function sorted(words: readonly string[]): string {
  return words.toSorted().join('-')
}

const dated = /^-(?:\d{4}-\d{2}-\d{2}|\d{8})$/
/**
 * Matches a snapshot at the end of a name: `-2024-08-06`, `-05-06`, `-09-2025`, `-20250929`, `-20250514-v1`, `-0613`,
 * `-001`, `-preview`.
 */
const snapshot =
  /-(?:\d{4}-\d{2}-\d{2}|\d{2}-\d{2}(?:-\d{4})?|\d{2}-\d{4}|\d{8}-v\d|\d{3,8}|latest|preview|exp|experimental)$/
const version = /^v?\d+$/
