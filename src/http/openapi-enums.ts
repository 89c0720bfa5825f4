/**
 * Enums that several schemas of the OpenAPI document share become components, so that a generated client has one type
 * for each.
 */
import { providerKindNames, upstreamFormats } from '#domain/accounts/provider-kinds.ts'
import { isJson, type Json } from './zod-to-json-schema.ts'

/**
 * tests/contract/openapi-document-linters.test.ts fails if a shared enum is missing here, or if an enum of the table is
 * unused.
 */
const wordsByName: Readonly<Record<string, readonly string[]>> = {
  BundleTermination: ['hard_token', 'complete_message', 'grace'],
  ConversionRule: ['lenient', 'strict'],
  DebitBasis: ['provider_cost', 'sell_price'],
  EmitterAmount: ['all', 'on_demand'],
  EmitterCause: ['settled', 'replay', 'test'],
  EmitterCustomerId: ['end_user_id', 'organization_id', 'external_id'],
  EmitterKind: ['webhook', 'vendor_a', 'vendor_b', 'stripe', 'openmeter'],
  GrantStatus: ['running', 'done'],
  HealthState: ['healthy', 'degraded', 'failing', 'unavailable', 'key_refused', 'unknown'],
  HealthWindow: ['5m', '1h', '24h'],
  IncludeUnit: ['credits', 'micros'],
  Interval: ['month', 'year'],
  InvoiceStatus: ['open', 'past_due', 'paid', 'void'],
  LedgerSource: ['wallet', 'all'],
  LedgerUnit: ['micros', 'credits'],
  Mode: ['live', 'test'],
  OnClientLeft: ['cut', 'drain'],
  OnContextLength: ['next', 'fail'],
  Period: ['day', 'week', 'month', 'total'],
  PortalAccess: ['read', 'write'],
  ProviderKind: providerKindNames,
  ProviderToolRule: ['bounded', 'drop', 'refuse'],
  RateMeasure: ['requests', 'tokens', 'inputTokens', 'outputTokens', 'micros', 'calls'],
  RateWindow: ['minute', '5h', 'hour', 'day', 'week', 'month', 'total'],
  RequestCorrectionKind: ['refund', 'late_usage'],
  RequestOutcome: ['settled', 'released', 'refused', 'recovered', 'in_flight'],
  Role: ['viewer', 'developer', 'admin', 'owner'],
  RouterPolicy: ['priority', 'weighted', 'cheapest', 'fastest', 'leastBusy', 'sticky'],
  RunStatus: ['running', 'done', 'capped', 'failed'],
  SeriesBucket: ['minute', 'hour', 'day'],
  SortByName: ['created', 'name'],
  SortDirection: ['asc', 'desc'],
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
