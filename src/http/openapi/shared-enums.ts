/**
 * Enums that several schemas of the OpenAPI document share become components, so that a generated client has one type
 * for each.
 */
import { onClientLeftChoices } from '#domain/accounts/client-disconnect-choices.ts'
import { providerKindNames, upstreamFormats } from '#domain/accounts/provider-kinds.ts'
import { contextLengthRules } from '#domain/application-config.ts'
import { customerIds, emitterAmounts, emitterKindNames } from '#domain/emitters/emitter-kinds.ts'
import { healthStates } from '#domain/health/health-state.ts'
import { directions, namedSorts } from '#domain/list-sorting-and-filters.ts'
import { roles } from '#domain/people/team-roles.ts'
import { toolRules } from '#domain/provider-tool-rules.ts'
import { rateMeasures, rateWindows } from '#money/decision-types.ts'
import { policies } from '#routing/route-tree-types.ts'
import { isJson, type Json } from './zod-to-json-schema.ts'

/**
 * tests/contract/openapi-document-linters.test.ts fails if a shared enum is missing here, or if an enum of the table is
 * unused.
 */
const wordsByName: Readonly<Record<string, readonly string[]>> = {
  BundleTermination: ['hard_token', 'complete_message', 'grace'],
  ConversionRule: ['lenient', 'strict'],
  DebitBasis: ['provider_cost', 'sell_price'],
  EmitterAmount: emitterAmounts,
  EmitterCause: ['settled', 'replay', 'test'],
  EmitterCustomerId: customerIds,
  EmitterKind: emitterKindNames,
  GrantStatus: ['running', 'done'],
  HealthState: healthStates,
  HealthWindow: ['5m', '1h', '24h'],
  IncludeUnit: ['credits', 'micros'],
  Interval: ['month', 'year'],
  InvoiceStatus: ['open', 'past_due', 'paid', 'void'],
  LedgerSource: ['wallet', 'all'],
  LedgerUnit: ['micros', 'credits'],
  Mode: ['live', 'test'],
  OnClientLeft: onClientLeftChoices,
  OnContextLength: contextLengthRules,
  Period: ['day', 'week', 'month', 'total'],
  PortalAccess: ['read', 'write'],
  ProviderKind: providerKindNames,
  ProviderToolRule: toolRules,
  RateMeasure: rateMeasures,
  RateWindow: rateWindows,
  RequestCorrectionKind: ['refund', 'late_usage'],
  RequestOutcome: ['settled', 'released', 'refused', 'recovered', 'in_flight'],
  Role: roles,
  RouterPolicy: policies,
  RunStatus: ['running', 'done', 'capped', 'failed'],
  SeriesBucket: ['minute', 'hour', 'day'],
  SortByName: namedSorts,
  SortDirection: directions,
  StatusClass: ['2xx', '4xx', '5xx'],
  StickyBy: ['end_user', 'session'],
  SubscriptionInvoiceStatus: ['paid', 'open', 'past_due'],
  TokenCountSource: ['provider_reported', 'estimated', 'recovered'],
  Wire: upstreamFormats,
}

const nameByWords = new Map(Object.entries(wordsByName).map(([name, words]) => [words.join(), name]))

export function withEnumReferences(part: Json): Json {
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, replaced(name, value)]))
}

export function enumSchemas(): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(wordsByName).map(([name, words]) => [name, { type: 'string', enum: words }]),
  )
}

function replaced(name: string, value: unknown): unknown {
  // Examples are data and not schemas.
  if (name === 'example' || name === 'examples') return value
  if (Array.isArray(value)) return value.map((one: unknown) => replaced('', one))
  if (!isJson(value)) return value
  const { enum: words, type, ...about } = value
  const component = Array.isArray(words) && type === 'string' ? nameByWords.get(words.join()) : undefined
  return component === undefined
    ? withEnumReferences(value)
    : { $ref: `#/components/schemas/${component}`, ...about }
}
