export interface TenantFixture {
  /** The slug is also the code in the tenant's keys. */
  readonly slug: string
  readonly displayName: string
  readonly branding: { readonly productName: string; readonly primaryColor: string }
  /** Prices in micros per million tokens, by model name. */
  readonly prices: Readonly<Record<string, Price>>
  /** The plan of end users who are created together with a key. */
  readonly defaultPlan: Plan
  /** The oldest end user comes first. */
  readonly people: readonly PersonFixture[]
  /** Keys of deleted end users. */
  readonly orphanKeys: readonly KeyFixture[]
}

export interface Price {
  readonly input: bigint
  readonly output: bigint
}

export interface Plan {
  readonly name: string
  readonly priceMicros: bigint
  readonly interval: 'month' | 'year'
  /** Pools, in the order in which they are spent. */
  readonly pools: readonly Pool[]
}

interface Pool {
  readonly slug: string
  readonly displayName: string
  readonly unit: 'tokens' | 'micros'
  readonly granted: bigint
  readonly spilloverTo: string | null
  readonly thenOnDemand: boolean
  readonly models: readonly string[]
}

export interface PersonFixture {
  readonly externalId: string
  readonly email: string | null
  readonly plan: Plan
  /** Days between the subscription and the start of the server. */
  readonly subscribedDays: number
  /** The newest invoice comes first. */
  readonly invoices: readonly ('paid' | 'open' | 'past_due')[]
  readonly onDemand: { readonly isEnabled: boolean; readonly limitMicros: bigint | null }
  readonly toppedUpMicros: bigint
  readonly reservedMicros: bigint
  readonly calls: readonly Calls[]
  readonly keys: readonly KeyFixture[]
}

export interface Calls {
  readonly model: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly paidBy: { readonly pool: string } | 'wallet' | 'on_demand'
}

/** Times are in days before the start of the server, so a negative number means a time after the start. */
export interface KeyFixture {
  readonly name: string
  readonly actorType: string
  readonly actorLabel: string | null
  readonly createdDays: number
  readonly lastUsedDays: number | null
  readonly revokedDays: number | null
  readonly expiresDays: number | null
}
