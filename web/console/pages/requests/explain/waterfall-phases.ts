/** The last phase shows how much each source paid. These amounts add up to the charge, to the micro. */
import type { RequestsExplainOutput } from '#sdk/generated/requests.ts'
import { spaced } from '#explain/amounts-in-explanation-text.ts'
import type { WaterfallHold, WaterfallPhase } from '#web/ui/charts/waterfall.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { countText, durationText } from '#web/ui/number-text.ts'

export type Told = RequestsExplainOutput
type Phase = WaterfallPhase<bigint>
type Span = Told['timeline'][number]

export function phasesOf(told: Told): readonly Phase[] {
  const attempts = told.attempts
  let attemptsSeen = 0
  const phases = told.timeline.map((span, at): Phase => {
    switch (span.phase) {
      case 'decide':
        return decided(told, span)
      case 'attempt': {
        attemptsSeen += 1
        return attempted(attempts[attemptsSeen - 1], span, attemptsSeen, attempts.length)
      }
      case 'stream':
        return streamed(told, span)
      case 'settle':
        return settled(told, span)
      default:
        return { key: `${at}`, name: spaced(span.phase), atMs: span.atMs, ms: span.durationMs }
    }
  })
  // The settle time of some charged requests was not recorded.
  if (told.settle && !told.timeline.some(({ phase }) => phase === 'settle'))
    phases.push(settled(told, { phase: 'settle', atMs: totalMsOf(told), durationMs: 0 }))
  return phases
}

export function totalMsOf({ latencyMs, timeline }: Told): number {
  return Math.max(latencyMs ?? 0, ...timeline.map(({ atMs, durationMs }) => atMs + durationMs))
}

export function holdOf({ reserve, settle, status }: Told): WaterfallHold<bigint> | null {
  const held = reserve?.worstMicros ?? null
  if (held === null) return null
  if (settle) {
    const charged = BigInt(settle.chargeMicros ?? '0')
    return { held: BigInt(held), charged, released: BigInt(settle.releasedMicros ?? '0') }
  }
  return status === 'in_flight'
    ? { held: BigInt(held), charged: null, released: null }
    : { held: BigInt(held), charged: 0n, released: BigInt(held) }
}

function decided({ policy, refusal, reserve, status }: Told, { atMs, durationMs }: Span): Phase {
  const isRefused = status === 'refused'
  const held = reserve?.firstWorstMicros ?? reserve?.worstMicros
  const words = [
    typeof policy?.bundle === 'string' && `bundle ${policy.bundle}`,
    typeof held === 'string' && `${moneyText(held)} held`,
    typeof reserve?.waitedMs === 'number' &&
      `waited ${durationText(reserve.waitedMs)} for money held by other requests`,
    reserve?.isClamped === true &&
      `output limited to ${countText(reserve.outputTokensPerChoice ?? 0)} tokens by the remaining credit`,
    isRefused && `rejected: ${spaced(refusal?.code ?? 'rejected')}`,
  ].filter((one) => one !== false)
  return {
    key: 'decide',
    name: isRefused ? 'Check limits and balance' : 'Check limits and hold money',
    detail: words.join(' · '),
    atMs,
    ms: durationMs,
    ...(isRefused && { kind: 'failed' as const }),
  }
}

function attempted(
  attempt: Told['attempts'][number] | undefined,
  { atMs, durationMs }: Span,
  n: number,
  count: number,
): Phase {
  const status = attempt?.status ?? null
  const isBad = attempt !== undefined && (status === null || status < 200 || status > 299)
  const words = [
    attempt?.target,
    status === null ? attempt?.failure && `interrupted: ${spaced(attempt.failure)}` : `returned ${status}`,
    typeof attempt?.firstByteMs === 'number' && `first byte after ${durationText(attempt.firstByteMs)}`,
    attempt?.code && spaced(attempt.code),
  ].filter((one) => typeof one === 'string' && one !== '')
  return {
    key: `attempt ${n}`,
    name: count > 1 ? `Attempt ${n}` : 'Provider',
    detail: words.join(' · '),
    atMs,
    ms: durationMs,
    ...(isBad && { kind: 'failed' as const }),
  }
}

function streamed({ stream }: Told, { atMs, durationMs }: Span): Phase {
  const words = [
    typeof stream?.tokensPerSecond === 'number' && `${rateText(stream.tokensPerSecond)} tokens per second`,
    typeof stream?.longestGapMs === 'number' && `longest gap ${durationText(stream.longestGapMs)}`,
    stream?.end === 'cut' && 'stopped when the hold was used up',
    stream?.end === 'left' && 'the client disconnected',
    stream?.end === 'failed' && 'failed midway',
  ].filter((one) => one !== false)
  const marks = [
    { name: 'first token', atMs: stream?.firstTokenMs },
    { name: 'client disconnected', atMs: stream?.clientLeftAtMs },
  ].flatMap(({ atMs: ms, name }) => (typeof ms === 'number' ? [{ name, atMs: ms }] : []))
  return {
    key: 'stream',
    name: 'Stream response',
    atMs,
    ms: durationMs,
    ...(words.length > 0 && { detail: words.join(' · ') }),
    ...(marks.length > 0 && { marks }),
    ...(stream?.end === 'failed' && { kind: 'failed' as const }),
  }
}

function rateText(perSecond: number): string {
  return perSecond < 100 ? String(perSecond) : countText(Math.round(perSecond))
}

function settled({ settle, status }: Told, { atMs, durationMs }: Span): Phase {
  if (!settle)
    return {
      key: 'settle',
      name: status === 'in_flight' ? 'In flight' : 'Release hold',
      detail: 'no charge',
      atMs,
      ms: durationMs,
    }
  const flags = [
    settle.isEstimated === true && 'the provider reported no usage, so the gateway counted the tokens',
    settle.isRecovered === true && 'recovered after the server process died',
    settle.isOverHold === true && 'usage exceeded the hold',
    settle.isLate === true && 'settled late',
  ].filter((one) => one !== false)
  return {
    key: 'settle',
    name: 'Settle',
    atMs,
    ms: durationMs,
    amounts: chargeParts(settle),
    ...(flags.length > 0 && { detail: flags.join(' · ') }),
  }
}

/** If the amounts by source do not add up to the charge, returns the whole charge as one amount. */
function chargeParts(settle: NonNullable<Told['settle']>): NonNullable<Phase['amounts']> {
  const charge = BigInt(settle.chargeMicros ?? '0')
  const legs = (settle.legs ?? []).map(({ kind, micros, sourceId }, at) => ({
    key: `${at}`,
    name: `from ${sourceId ?? spaced(kind ?? 'the balance')}`,
    value: BigInt(micros ?? '0'),
  }))
  const sum = legs.reduce((all, { value }) => all + value, 0n)
  return legs.length > 0 && sum === charge ? legs : [{ key: 'charge', name: 'charged', value: charge }]
}
