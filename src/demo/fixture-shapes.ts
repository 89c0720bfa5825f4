export interface TenantFixture {
  /** Also the code in its keys. */
  readonly slug: string
  readonly displayName: string
  readonly branding: { readonly productName: string; readonly primaryColor: string }
  /** Micros per million tokens, by model name. */
  readonly prices: Readonly<Record<string, Price>>
  /** The plan of end users that are created with a key. */
  readonly defaultPlan: Plan
  /** Oldest first. */
  readonly people: readonly PersonFixture[]
  /** Keys of end users that were deleted. */
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
  /** In the order in which they pay. */
  readonly pools: readonly Pool[]
}

interface Pool {
  readonly slug: string
  readonly displayName: string
  readonly unit: 'tokens' | 'micros'
  readonly granted: bigint
  readonly spilloverTo: string | null
  readonly thenOnDemand: boolean
  /** The model names that it pays for. */
  readonly models: readonly string[]
}

export interface PersonFixture {
  readonly externalId: string
  readonly email: string | null
  readonly plan: Plan
  /** Days from the subscription to the start of the server. */
  readonly subscribedDays: number
  /** Invoices of the current period and earlier ones, newest first. */
  readonly invoices: readonly ('paid' | 'open' | 'past_due')[]
  readonly onDemand: { readonly isEnabled: boolean; readonly limitMicros: bigint | null }
  /** Total of all amounts added to the wallet. */
  readonly toppedUpMicros: bigint
  readonly reservedMicros: bigint
  readonly calls: readonly Calls[]
  readonly keys: readonly KeyFixture[]
}

/** Calls of one model that one source paid for. */
export interface Calls {
  readonly model: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly paidBy: { readonly pool: string } | 'wallet' | 'on_demand'
}

/** Times are in days before the start of the server. A negative number is after the start. */
export interface KeyFixture {
  readonly name: string
  readonly actorType: string
  readonly actorLabel: string | null
  readonly createdDays: number
  readonly lastUsedDays: number | null
  readonly revokedDays: number | null
  readonly expiresDays: number | null
}
