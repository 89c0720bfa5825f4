/** Written by hand, so that the demo tier's responses are checked independently of the code. */

type Schema = Readonly<Record<string, unknown>>

const string = { type: 'string' }
const boolean = { type: 'boolean' }
const integer = { type: 'integer', minimum: 0 }
const stringOrNull = { type: ['string', 'null'] }
/** An integer, written as a decimal string. */
const digits = { type: 'string', pattern: '^(0|[1-9][0-9]*)$' }
const digitsOrNull = { type: ['string', 'null'], pattern: '^(0|[1-9][0-9]*)$' }
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }
const timeOrNull = { type: ['string', 'null'], pattern: time.pattern }

/** Requires every field, and allows no other field. */
function exactly(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
}

function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

const counts = { calls: integer, inputTokens: integer, outputTokens: integer, billedMicros: digits }

export const health = exactly({ status: { enum: ['ok'] } })

export const tenant = exactly({
  id: string,
  slug: string,
  displayName: string,
  branding: exactly({ productName: string, primaryColor: { type: 'string', pattern: '^#[0-9a-f]{6}$' } }),
})

export const endUsers = exactly({
  data: listOf(
    exactly({
      id: { type: 'string', pattern: '^eu_' },
      externalId: string,
      email: stringOrNull,
      wallet: exactly({ balanceMicros: digits, reservedMicros: digits }),
      usage: exactly(counts),
    }),
  ),
})

export const usage = exactly({
  rows: listOf(exactly({ requestedModel: string, ...counts })),
  totals: exactly(counts),
})

export const subscription = exactly({
  planName: string,
  priceMicros: digits,
  interval: { enum: ['month', 'year'] },
  periodStart: time,
  periodEnd: time,
  onDemandEnabled: boolean,
  onDemandLimitMicros: digitsOrNull,
  onDemandSpentMicros: digits,
  pools: listOf(
    exactly({
      slug: string,
      displayName: string,
      unit: { enum: ['tokens', 'micros'] },
      granted: digits,
      consumed: digits,
      spilloverTo: stringOrNull,
      thenOnDemand: boolean,
      aliases: listOf(exactly({ requestedModel: string, consumed: digits })),
    }),
  ),
  invoices: listOf(
    exactly({ issuedAt: time, amountMicros: digits, status: { enum: ['paid', 'open', 'past_due'] } }),
  ),
})

const keyPrefix = { type: 'string', pattern: '^ak_[a-z0-9]{4,12}_test_[0-9A-Za-z]{6}$' }
const lastFour = { type: 'string', pattern: '^[0-9A-Za-z]{4}$' }

export const mintedKey = exactly({
  id: { type: 'string', pattern: '^key_' },
  key: { type: 'string', pattern: '^ak_[a-z0-9]{4,12}_test_[0-9A-Za-z]{36}$' },
  keyPrefix,
  lastFour,
  endUserId: { type: 'string', pattern: '^eu_' },
  livemode: { const: false },
})

export const keys = exactly({
  data: listOf(
    exactly({
      id: { type: 'string', pattern: '^key_' },
      name: string,
      keyPrefix,
      lastFour,
      livemode: boolean,
      endUserId: stringOrNull,
      actorType: string,
      actorLabel: stringOrNull,
      createdAt: time,
      lastUsedAt: timeOrNull,
      revokedAt: timeOrNull,
      expiresAt: timeOrNull,
    }),
  ),
})

export const capabilities = exactly({
  tier: { enum: ['demo'] },
  liveMode: exactly({ enabled: { enum: [false] }, blockedBy: { enum: ['demo_fixtures'] } }),
  features: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      required: ['available'],
      properties: {
        available: boolean,
        reason: { enum: ['not_yet_released'] },
        issue: string,
        pages: listOf(string),
      },
      additionalProperties: false,
    },
  },
})

export const notImplemented = exactly({
  error: exactly({ code: { enum: ['not_implemented'] }, issue: string }),
})
