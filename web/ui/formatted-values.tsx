/** Each value has its unit, and the title contains the exact value. */
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { microsText, moneyText } from './money-text.ts'
import { useNow } from './current-time-hooks.ts'
import {
  countText,
  durationText,
  exactTimeText,
  percentText,
  shortCountText,
  whenText,
} from './number-text.ts'

export interface MoneyProps {
  /** If the value is missing, `reason` says why. */
  readonly micros: string | bigint | null | undefined
  readonly reason?: string
  readonly signed?: boolean
  readonly aligned?: boolean
  readonly className?: string
}

export function Money({
  aligned,
  className,
  micros,
  reason = 'no value',
  signed,
  ...rest
}: MoneyProps): ReactNode {
  if (micros === null || micros === undefined) return <Nothing reason={reason} />
  const amount = BigInt(micros)
  const text = moneyText(amount, { sign: signed ?? false })
  const decimals = text.length - text.indexOf('.') - 1
  return (
    <span
      {...rest}
      className={classNames(
        'figures whitespace-nowrap',
        signed && amount > 0n && 'text-positive',
        signed && amount < 0n && 'text-negative',
        className,
      )}
      title={microsText(amount)}
      data-micros={String(amount)}
    >
      {text}
      {aligned && decimals < 6 && (
        <span aria-hidden className="invisible select-none" data-padding>
          {'0'.repeat(6 - decimals)}
        </span>
      )}
    </span>
  )
}

/** With `short`, the number is shown as text such as 1.2 M, with the exact number in the title. */
export function Count({
  of,
  reason = 'no value',
  short,
}: {
  readonly of: number | bigint | string | null | undefined
  readonly reason?: string
  readonly short?: boolean
}): ReactNode {
  if (of === null || of === undefined) return <Nothing reason={reason} />
  return (
    <span className="figures whitespace-nowrap" title={countText(of)} data-count={String(of)}>
      {short ? shortCountText(Number(of)) : countText(of)}
    </span>
  )
}

export function Duration({
  ms,
  reason = 'not measured',
}: {
  readonly ms: number | null | undefined
  readonly reason?: string
}): ReactNode {
  if (ms === null || ms === undefined) return <Nothing reason={reason} />
  return (
    <span className="figures whitespace-nowrap" title={`${countText(ms)} ms`}>
      {durationText(ms)}
    </span>
  )
}

export function Percent({
  part,
  reason = 'no value to compare with',
}: {
  readonly part: number | null | undefined
  readonly reason?: string
}): ReactNode {
  if (part === null || part === undefined || !Number.isFinite(part)) return <Nothing reason={reason} />
  return <span className="figures whitespace-nowrap">{percentText(part)}</span>
}

/** Relative up to one day. The title contains the exact time. */
export function When({
  at,
  isExact = false,
  isRealTime = false,
  reason = 'never',
}: {
  readonly at: string | null | undefined
  readonly isExact?: boolean
  /** Whether the time doesn't depend on the test clock, even in test mode. */
  readonly isRealTime?: boolean
  readonly reason?: string
}): ReactNode {
  const nowMs = useNow(30_000, isRealTime)
  if (at === null || at === undefined) return <Nothing reason={reason} />
  return (
    <time dateTime={at} title={exactTimeText(at)} className="figures whitespace-nowrap">
      {isExact ? exactTimeText(at) : whenText(at, nowMs)}
    </time>
  )
}

export function Nothing({ reason }: { readonly reason: string }): ReactNode {
  return (
    <span className="text-ink-3" title={reason}>
      <span aria-hidden>–</span>
      <span className="sr-only">{reason}</span>
    </span>
  )
}

/** The text is never broken inside a word, and the title contains the whole text. */
export function Id({ className, text }: { readonly text: string; readonly className?: string }): ReactNode {
  return (
    <bdi
      className={classNames(
        'inline-block truncate align-bottom font-mono text-13',
        className?.includes('max-w-') !== true && 'max-w-full',
        className,
      )}
      title={text}
    >
      {text}
    </bdi>
  )
}
