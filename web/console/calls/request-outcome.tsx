import type { ReactNode } from 'react'
import type { Request } from '#sdk/generated/types.ts'
import type { Known } from '#web/ui/known-words.ts'
import { State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'

interface Ended {
  readonly status: string
  readonly httpStatus: number | null
  readonly errorCode: string | null
}

const words: Readonly<Record<string, string>> = {
  settled: 'charged',
  released: 'not charged',
  refused: 'rejected',
  recovered: 'recovered',
  in_flight: 'in flight',
} satisfies Readonly<Record<Known<Request['status']>, string>>

function toneOfCall({ errorCode, httpStatus, status }: Ended): Tone {
  if (status === 'in_flight') return 'held'
  if (status === 'refused' || (httpStatus ?? 0) >= 500) return 'negative'
  if (status === 'settled' && errorCode === null) return 'positive'
  return status === 'released' ? 'neutral' : 'held'
}

/** Shows the response status and whether the request was charged, such as `200 charged` or `402 rejected`. */
export function CallState({
  call,
  hasError = false,
}: {
  readonly call: Ended
  /** Whether the error code is included: `402 rejected: balance_exhausted`. */
  readonly hasError?: boolean
}): ReactNode {
  const { errorCode, httpStatus, status } = call
  const code = httpStatus === null || httpStatus === 0 ? '' : `${httpStatus} `
  const error = hasError && errorCode !== null ? `: ${errorCode}` : ''
  return (
    <State
      tone={toneOfCall(call)}
      words={`${code}${words[status] ?? status}${error}`}
      {...(errorCode !== null && { title: errorCode })}
    />
  )
}
