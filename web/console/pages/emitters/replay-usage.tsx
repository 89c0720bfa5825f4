import { useState, type ReactNode } from 'react'
import { dayMs } from '#money/periods-and-windows.ts'
import type { Emitter, EmitterReplay } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { exactTimeText } from '#web/ui/number-text.ts'
import { zoneText } from '#web/ui/time-zone.ts'
import { State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, When } from '#web/ui/formatted-values.tsx'
import type { Known } from '#web/ui/known-words.ts'
import { useAnswer, useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { localTime, utcOfLocal } from '../../local-time-fields.ts'
import { replayProgress } from './replay-progress.ts'

export function Replay({ emitter, may }: { readonly emitter: Emitter; readonly may: boolean }): ReactNode {
  const { data = emitter } = useAnswer(
    'emitters.show',
    { id: emitter.id },
    emitter.replay?.state === 'running' ? { everyMs: 1000 } : {},
  )
  const replay = useChange('emitters.replay')
  const { id, missed } = data
  return (
    <div className="flex flex-col gap-5">
      {data.replay && <Progress replay={data.replay} />}
      {data.replay?.state === 'stopped' && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            kind="primary"
            disabled={!may || !data.enabled}
            isBusy={replay.isPending}
            onClick={() => data.replay && replay.mutate({ id, from: data.replay.from, to: data.replay.to })}
          >
            Resume replay
          </Button>
          <CopyAs operation="emitters.replay" input={{ id, from: data.replay.from, to: data.replay.to }} />
        </div>
      )}
      {replay.error && <FailureNote error={replay.error} />}
      <ReplayForm
        key={`${missed?.from} ${missed?.to}`}
        emitter={data}
        may={may}
        send={(span) => replay.mutateAsync({ id, ...span })}
      />
    </div>
  )
}

const timeMissing = 'Choose a date and a time.'

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  running: ['held', 'Running'],
  done: ['positive', 'Done'],
  stopped: ['negative', 'Stopped'],
} satisfies Readonly<Record<Known<EmitterReplay['state']>, readonly [Tone, string]>>

function Progress({ replay }: { readonly replay: EmitterReplay }): ReactNode {
  const { events, from, reachedAt, reason, startedAt, state, to } = replay
  const [tone, words] = states[state] ?? ['neutral', state]
  const part = state === 'done' ? 1 : replayProgress(replay)
  return (
    <section aria-label="Last replay" className="flex flex-col gap-2 text-14" aria-live="polite">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <State tone={tone} words={words} />
        <span className="text-ink-2">
          <Count of={events} /> {events === 1 ? 'event' : 'events'} accepted, started <When at={startedAt} />
        </span>
      </div>
      <progress
        className="h-1.5 w-full appearance-none overflow-hidden rounded bg-surface-3 [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-surface-3 [&::-webkit-progress-value]:bg-accent"
        max={1}
        value={part}
        aria-label="Replay progress"
      />
      <p className="text-13 text-ink-2">
        Requests from {exactTimeText(from)} to {exactTimeText(to)}
        {state !== 'done' && <>, sent up to {exactTimeText(reachedAt)}</>}.
        {reason !== null && (
          <>
            {' '}
            Error: <bdi className="wrap-anywhere">{reason}</bdi>
          </>
        )}
      </p>
    </section>
  )
}

function ReplayForm({
  emitter: { enabled, id, missed, replay },
  may,
  send,
}: {
  readonly emitter: Emitter
  readonly may: boolean
  readonly send: (span: { readonly from: string; readonly to: string }) => Promise<unknown>
}): ReactNode {
  const nowMs = useNow(60_000)
  const isRunning = replay?.state === 'running'
  const [first] = useState(() => ({
    from: missed?.from ?? new Date(nowMs - dayMs).toISOString(),
    // Include the whole second of the last request.
    to: new Date(missed ? Date.parse(missed.to) + 999 : nowMs).toISOString(),
  }))
  const spanOf = ({ from, to }: { readonly from: string; readonly to: string }) => ({
    from: utcOfLocal(from, first.from) ?? '',
    to: utcOfLocal(to, first.to) ?? '',
  })
  const form = useForm({
    draft: null,
    initial: { from: localTime(first.from, 'second'), to: localTime(first.to, 'second') },
    check: (values) => {
      const [from, to] = [utcOfLocal(values.from, first.from), utcOfLocal(values.to, first.to)]
      return {
        ...(from === null && { from: timeMissing }),
        ...(to === null
          ? { to: timeMissing }
          : from !== null && to <= from && { to: 'Choose an end after the start.' }),
      }
    },
    send: async (values) => send(spanOf(values)),
  })
  const input = { id, ...spanOf(form.values) }
  return (
    <FormBody
      form={form}
      action="Replay events"
      isDisabled={!may || !enabled || isRunning}
      className="border-t border-line pt-4"
    >
      <p className="text-14 text-ink-2">
        Sends the events of all settled requests in a time range again, with the original idempotency keys. To
        avoid duplicates, your receiver must count each key only once.{' '}
        {missed && 'The range below covers all events that were not delivered.'}
      </p>
      <div className="grid gap-4 phone:grid-cols-2">
        <TextField
          form={form}
          name="from"
          label="From"
          type="datetime-local"
          step={1}
          help={`In ${zoneText(nowMs)}.`}
        />
        <TextField
          form={form}
          name="to"
          label="To"
          type="datetime-local"
          step={1}
          help="End of the range, not included. The end can't be in the future."
        />
      </div>
      {!enabled && (
        <p className="text-13 text-held">The emitter is off. Turn the emitter on to replay events.</p>
      )}
      {!may && <p className="text-13 text-ink-3">Replaying events requires the admin role.</p>}
      <div>
        <CopyAs operation="emitters.replay" input={input} />
      </div>
    </FormBody>
  )
}
