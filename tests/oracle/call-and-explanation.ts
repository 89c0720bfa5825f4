import type { FakeCall } from '../support/fake-provider.ts'
import type { Asked, Hold, Key, Paid, Refused } from './naive-types.ts'
import { names, type Play } from './oracle-application.ts'

/** A key that is valid until it expires. */
export interface KeyInUse extends Key {
  readonly id: string
  readonly secret: string
  endsAt: number
  isReplaced: boolean
}

export interface Turn {
  readonly asked: Omit<Asked, 'inputMax' | 'targets'> & { readonly key: KeyInUse }
  readonly play: Play
  readonly padding: number
}

export interface Story {
  readonly errorCode: string | null
  readonly chargeMicros: string
  readonly paidFromPlanMicros: string
  readonly paidFromGiftMicros: string
  readonly paidFromWalletMicros: string
  readonly onDemandMicros: string
  readonly overdraftMicros: string
  readonly quote: { readonly textTokensMax?: number; readonly bound?: { readonly textTokens: number } } | null
  readonly reserve: {
    readonly worstMicros: string
    readonly isClamped?: boolean
    readonly waitedMs?: number | null
  } | null
  readonly refusal: { readonly limitSource?: string; readonly waitedMs?: number | null } | null
  readonly usage: { readonly input: number; readonly output: number; readonly tokenSource: string } | null
  readonly route: { readonly candidates?: readonly Candidate[] | null } | null
  readonly attempts: readonly { readonly target: string; readonly costMicros?: string | null }[]
  readonly settle: {
    readonly chargeMicros: string
    readonly billedMicros: string
    readonly costMicros: string
    readonly overHoldMicros: string
    readonly legs: readonly {
      readonly kind: string
      readonly amount: string
      readonly unit: string
      readonly micros: string
    }[]
  } | null
}

export interface Candidate {
  readonly model: string
  readonly skipCode?: string | null
  readonly skipped?: string | null
}

export interface Answered {
  readonly status: number
  readonly requestId: string
  /** The requests that the provider received for the call, in order. */
  readonly askedFor: readonly FakeCall[]
}

export function askedOf({ asked }: Turn, story: Story): Asked {
  const targets = names.get(asked.model)?.targets ?? []
  // Concurrent histories also open and close circuits, so the explanation's circuit state counts.
  const isOut = (model: string): boolean => {
    const candidate = story.route?.candidates?.find((each) => each.model === model)
    if (candidate === undefined || isPassed(candidate)) return false
    return (candidate.skipCode ?? null) !== null && candidate.skipCode !== 'too_dear'
  }
  return {
    ...asked,
    targets: targets.filter(({ model }) => !isOut(model)),
    inputMax: story.quote?.textTokensMax ?? story.quote?.bound?.textTokens ?? 0,
  }
}

/**
 * The hold covers a passed target, but the router does not call it, because its circuit opened after the call was
 * planned.
 */
export function isPassed({ skipCode, skipped }: Candidate): boolean {
  return skipCode === 'circuit_open' && skipped?.includes('since the call was planned') === true
}

export function isRefused(value: Hold | Refused): value is Refused {
  return 'code' in value
}

export function paidInOrder({ gift, onDemand, overdraft, plan, wallet }: Paid): bigint[] {
  return [plan, gift, wallet, onDemand, overdraft]
}

export function paidText(...micros: readonly (bigint | string)[]): string {
  const words = ['plan', 'gift', 'wallet', 'on-demand', 'overdraft']
  return words.map((word, at) => `${word} ${micros[at]}`).join(', ')
}

export function poolsText(pools: ReadonlyMap<string, bigint>): string {
  return [...pools]
    .filter(([, left]) => left > 0n)
    .map(([slug, left]) => `${slug} ${left}`)
    .toSorted()
    .join(', ')
}
