import type { Calls, KeyFixture, PersonFixture, Plan, TenantFixture } from './types-of-tenant-fixtures.ts'
import assert from 'node:assert/strict'
import type * as z from 'zod'
import { ceilDiv } from '#money/amount.ts'
import { boundary, dayMs, periodAt } from '#money/periods-and-windows.ts'
import { idOf, type IdSource } from '#domain/ids-sorted-by-time.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { mint, type Minted } from '#operations/kernel/create-keys-and-tokens.ts'
import type {
  ApiKeyList,
  EndUserList,
  MintedKey,
  MintKeyRequest,
  SubscriptionView,
  TenantView,
  UsageView,
} from './demo-tier-schemas.ts'

/** Anyone can create a key without a credential, so memory must be limited. */
export const mintedKeysMax = 100

export interface DemoPorts {
  readonly nowMs: () => number
  readonly newId: IdSource
  /** Returns the next byte of a CSPRNG. */
  readonly randomByte: () => number
}

/** Creating a key for an end user can set the end user's email address. */
interface Person extends Omit<PersonFixture, 'email' | 'keys' | 'subscribedDays'> {
  readonly id: string
  email: string | null
  readonly subscribedAtMs: number
}

interface Key extends Omit<Minted, 'secret'> {
  readonly id: string
  readonly name: string
  readonly externalId: string | null
  readonly actorType: string
  readonly actorLabel: string | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
  readonly expiresAtMs: number | null
}

/** A demo tenant exists only in memory, so created keys are lost when the process ends. */
export class DemoTenant {
  readonly #fixture: TenantFixture
  readonly #ports: DemoPorts
  readonly #id: string
  /** The oldest end user comes first, as in `#keys`. */
  readonly #people: Person[] = []
  readonly #keys: Key[]
  readonly #startedAtMs: number
  #mintedCount = 0

  constructor(fixture: TenantFixture, ports: DemoPorts) {
    this.#fixture = fixture
    this.#ports = ports
    this.#id = idOf('app', ports.newId())
    this.#startedAtMs = ports.nowMs()
    const keys = fixture.orphanKeys.map((key) => this.#keyOf(key, null))
    for (const { keys: held, subscribedDays, ...person } of fixture.people) {
      const subscribedAtMs = this.#ago(subscribedDays)
      this.#people.push({ ...person, id: idOf('eu', ports.newId()), subscribedAtMs })
      keys.push(...held.map((key) => this.#keyOf(key, person.externalId)))
    }
    this.#keys = keys.toSorted((one, other) => one.createdAtMs - other.createdAtMs)
  }

  profile(): z.output<typeof TenantView> {
    const { branding, displayName, slug } = this.#fixture
    return { id: this.#id, slug, displayName, branding }
  }

  endUsers(): z.output<typeof EndUserList> {
    const data = this.#people.toReversed().map((person) => ({
      id: person.id,
      externalId: person.externalId,
      email: person.email,
      wallet: {
        balanceMicros: person.toppedUpMicros - this.#sumOf(paidBy(person, 'wallet')).billedMicros,
        reservedMicros: person.reservedMicros,
      },
      usage: this.#sumOf(person.calls),
    }))
    return { data }
  }

  /** @param externalId the end user whose usage to return; omit for the usage of all end users */
  usage(externalId?: string): z.output<typeof UsageView> | Refused<'not_found'> {
    const people = externalId === undefined ? this.#people : this.#find(externalId)
    if (people instanceof Refused) return people
    const calls = people.flatMap((person) => person.calls)
    const rows = [...Map.groupBy(calls, ({ model }) => model)]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([requestedModel, ofModel]) => ({ requestedModel, ...this.#sumOf(ofModel) }))
    return { rows, totals: this.#sumOf(calls) }
  }

  subscription(externalId: string): z.output<typeof SubscriptionView> | Refused<'not_found'> {
    const found = this.#find(externalId)
    if (found instanceof Refused) return found
    const [person] = found
    const { invoices, onDemand, plan, subscribedAtMs } = person
    const { endsAtMs, index, startsAtMs } = periodAt(subscribedAtMs, plan.interval, this.#ports.nowMs())
    return {
      planName: plan.name,
      priceMicros: plan.priceMicros,
      interval: plan.interval,
      periodStart: startsAtMs,
      periodEnd: endsAtMs,
      onDemandEnabled: onDemand.isEnabled,
      onDemandLimitMicros: onDemand.limitMicros,
      onDemandSpentMicros: this.#sumOf(paidBy(person, 'on_demand')).billedMicros,
      pools: this.#poolsOf(person),
      invoices: invoices.map((status, periodsAgo) => ({
        issuedAt: boundary(subscribedAtMs, plan.interval, index - periodsAgo),
        amountMicros: plan.priceMicros,
        status,
      })),
    }
  }

  /** The newest key comes first. */
  keys(): z.output<typeof ApiKeyList> {
    const data = this.#keys.toReversed().map((key) => ({
      id: key.id,
      name: key.name,
      keyPrefix: key.prefix,
      lastFour: key.lastFour,
      livemode: false as const,
      endUserId: key.externalId,
      actorType: key.actorType,
      actorLabel: key.actorLabel,
      createdAt: key.createdAtMs,
      lastUsedAt: key.lastUsedAtMs,
      revokedAt: key.revokedAtMs,
      expiresAt: key.expiresAtMs,
    }))
    return { data }
  }

  /** Also creates the end user if it does not exist. The secret is returned once and is stored nowhere. */
  mint(
    request: z.output<typeof MintKeyRequest>,
  ): z.output<typeof MintedKey> | Refused<'demo_keys_exhausted' | 'live_mode_refused'> {
    const { email = null, endUserId, livemode = false, name = endUserId } = request
    if (livemode) return refused('live_mode_refused', {}, 'livemode')
    if (this.#mintedCount === mintedKeysMax) return refused('demo_keys_exhausted', { limit: mintedKeysMax })
    this.#mintedCount += 1
    const person = this.#people.find(({ externalId }) => externalId === endUserId) ?? this.#add(endUserId)
    person.email ??= email
    const { secret, ...minted } = this.#newSecret()
    const key: Key = {
      ...minted,
      id: idOf('key', this.#ports.newId()),
      name,
      externalId: endUserId,
      actorType: 'demo_tenant',
      actorLabel: null,
      createdAtMs: this.#ports.nowMs(),
      lastUsedAtMs: null,
      revokedAtMs: null,
      expiresAtMs: null,
    }
    this.#keys.push(key)
    return {
      id: key.id,
      key: secret,
      keyPrefix: key.prefix,
      lastFour: key.lastFour,
      endUserId: person.id,
      livemode: false,
    }
  }

  #find(externalId: string): [Person] | Refused<'not_found'> {
    const person = this.#people.find((one) => one.externalId === externalId)
    return person ? [person] : refused('not_found', { resource: 'end user', id: externalId }, 'endUserId')
  }

  #add(externalId: string): Person {
    const person: Person = {
      id: idOf('eu', this.#ports.newId()),
      externalId,
      email: null,
      plan: this.#fixture.defaultPlan,
      subscribedAtMs: this.#ports.nowMs(),
      invoices: [],
      onDemand: { isEnabled: false, limitMicros: null },
      toppedUpMicros: 0n,
      reservedMicros: 0n,
      calls: [],
    }
    this.#people.push(person)
    return person
  }

  #poolsOf(person: Person): z.output<typeof SubscriptionView>['pools'] {
    return person.plan.pools.map(({ models, ...pool }) => {
      const calls = paidBy(person, pool.slug)
      return {
        ...pool,
        consumed: this.#amountOf(calls, pool.unit),
        aliases: models.map((requestedModel) => ({
          requestedModel,
          consumed: this.#amountOf(
            calls.filter(({ model }) => model === requestedModel),
            pool.unit,
          ),
        })),
      }
    })
  }

  #amountOf(calls: readonly Calls[], unit: Plan['pools'][number]['unit']): bigint {
    const { billedMicros, inputTokens, outputTokens } = this.#sumOf(calls)
    return unit === 'micros' ? billedMicros : BigInt(inputTokens + outputTokens)
  }

  #sumOf(all: readonly Calls[]): z.output<typeof UsageView>['totals'] {
    const sum = { calls: 0, inputTokens: 0, outputTokens: 0, billedMicros: 0n }
    for (const { calls, inputTokens, model, outputTokens } of all) {
      const price = this.#fixture.prices[model]
      assert(price, `the fixture of ${this.#fixture.slug} has no price of ${model}`)
      sum.calls += calls
      sum.inputTokens += inputTokens
      sum.outputTokens += outputTokens
      sum.billedMicros += ceilDiv(
        BigInt(inputTokens) * price.input + BigInt(outputTokens) * price.output,
        1_000_000n,
      )
    }
    return sum
  }

  #keyOf({ name, actorLabel, actorType, ...times }: KeyFixture, externalId: string | null): Key {
    const { secret: _, ...minted } = this.#newSecret()
    return {
      ...minted,
      id: idOf('key', this.#ports.newId()),
      name,
      externalId,
      actorType,
      actorLabel,
      createdAtMs: this.#ago(times.createdDays),
      lastUsedAtMs: this.#agoOrNull(times.lastUsedDays),
      revokedAtMs: this.#agoOrNull(times.revokedDays),
      expiresAtMs: this.#agoOrNull(times.expiresDays),
    }
  }

  #newSecret(): Minted {
    return mint({ kind: 'ak', code: this.#fixture.slug, isTest: true }, this.#ports)
  }

  #ago(days: number): number {
    return this.#startedAtMs - days * dayMs
  }

  #agoOrNull(days: number | null): number | null {
    return days === null ? null : this.#ago(days)
  }
}

/** @param source slug of a pool, or the name of another payment source */
function paidBy({ calls }: Person, source: string): readonly Calls[] {
  return calls.filter(({ paidBy: by }) => (typeof by === 'string' ? by : by.pool) === source)
}
