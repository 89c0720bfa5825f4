import type { ReactNode } from 'react'
import { hourMs } from '#money/periods-and-windows.ts'
import { TextField, type useForm } from '#web/ui/form.tsx'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { zoneText } from '#web/ui/time-zone.ts'
import { msOfLocal } from '../local-time-fields.ts'

export interface SpanValues {
  readonly starts: string
  readonly expires: string
  readonly [name: string]: string
}

export const noSpan = { starts: '', expires: '' }

export function SpanFields<V extends SpanValues>({
  form,
}: {
  readonly form: ReturnType<typeof useForm<V>>
}): ReactNode {
  const zone = zoneText(useNow(hourMs))
  return (
    <div className="grid gap-4 phone:grid-cols-2">
      <TextField
        form={form}
        name="expires"
        label="Expires"
        isOptional
        type="datetime-local"
        help={`Time in ${zone}. Leave empty for credit that doesn't expire.`}
      />
      <TextField
        form={form}
        name="starts"
        label="Starts"
        isOptional
        type="datetime-local"
        help={`Time in ${zone}. Leave empty to start now. Credit with a start time must also have an expiry time.`}
      />
    </div>
  )
}

/** @param nowMs the time of the mode, because the test clock may be ahead */
export function spanFaults({ expires, starts }: SpanValues, nowMs: number): Record<string, string> {
  const [from, until] = [msOfLocal(starts), msOfLocal(expires)]
  if (expires === '')
    return starts === '' ? {} : { expires: 'Credit with a start time must also have an expiry time.' }
  return {
    ...(until <= nowMs && { expires: 'Choose a time in the future.' }),
    ...(starts !== '' && from >= until && { starts: 'Choose a time before the credit expires.' }),
  }
}

export function startsNow({ starts }: SpanValues, nowMs: number): boolean {
  return starts === '' || msOfLocal(starts) <= nowMs
}

export function spanOf({ expires, starts }: SpanValues): { startsAt?: string; expiresAt?: string } {
  const [from, until] = [msOfLocal(starts), msOfLocal(expires)]
  if (!Number.isFinite(until)) return {}
  return {
    expiresAt: new Date(until).toISOString(),
    ...(Number.isFinite(from) && { startsAt: new Date(from).toISOString() }),
  }
}
