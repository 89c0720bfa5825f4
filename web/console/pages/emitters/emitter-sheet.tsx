import { useState, type ReactNode } from 'react'
import type { Emitter } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Switch, Tabs } from '#web/ui/tabs-segments-and-switch.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { realNow } from '#web/ui/current-time-hooks.ts'
import { exactTimeText } from '#web/ui/number-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { Count, Id, When } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { ConfirmedChange } from '../../button-with-confirmation.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { RevisedSheet } from '../../resource-sheet-with-forms.tsx'
import { useRevised, type Revised } from '../../forms-with-revision.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { Deliveries } from './latest-deliveries.tsx'
import { EditForm } from './edit-emitter-form.tsx'
import { customerIdWords, kinds, kindWords, stateOf, type Kind } from './emitter-kinds.ts'
import { Replay } from './replay-usage.tsx'
import { RotateSecret } from './rotate-signing-secret.tsx'
import { Sample } from './send-sample-event.tsx'
import { Verification } from './how-to-verify-deliveries.tsx'

/** The parameters of the sheet, so that the next emitter's sheet starts anew. */
const closed = { open: null, act: null, tab: null, batch: null, delivered: null }

export function EmitterSheet({ id }: { readonly id: string }): ReactNode {
  const setSearch = useSetSearch()
  const query = useRevised('emitters.show', { id })
  return (
    <RevisedSheet
      query={query}
      noun="emitters"
      title={query.data?.value.name ?? id}
      fault="The emitter can't be shown."
      forms={{
        edit: {
          about: 'Changes take effect with the next batch.',
          form: (emitter, ends) => <EditForm emitter={emitter} {...ends} />,
        },
      }}
      onBack={() => setSearch({ act: null })}
      onClose={() => setSearch(closed)}
    >
      {(emitter) => <Shown emitter={emitter} />}
    </RevisedSheet>
  )
}

function Shown({ emitter: { ifMatch, value: emitter } }: { readonly emitter: Revised<Emitter> }): ReactNode {
  const { tab = 'deliveries' } = useSearchTexts()
  const setSearch = useSetSearch()
  const may = useMay('admin')
  const { enabled, failingSince, id, lastFailure, missed, notDelivered } = emitter
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-3">
        <OnSwitch emitter={emitter} ifMatch={ifMatch} may={may} />
        <Button disabled={!may} onClick={() => setSearch({ act: 'edit' })}>
          Edit emitter
        </Button>
        <CopyAs operation="emitters.show" input={{ id }} />
      </div>
      {!may && <p className="text-13 text-ink-3">Editing emitters requires the admin role.</p>}
      {enabled && failingSince !== null && (
        <Note tone="negative" title="Deliveries are failing">
          <p>
            Since <When at={failingSince} />: <bdi className="wrap-anywhere">{lastFailure}</bdi>
          </p>
          <p>
            <Count of={notDelivered} /> {notDelivered === 1 ? 'event was' : 'events were'} not delivered. The
            usage records are kept. You can replay them after the receiver accepts deliveries again.
          </p>
        </Note>
      )}
      {missed !== null && (
        <Note
          tone="held"
          title="Some events were not delivered"
          action={
            <Button size="small" disabled={!may} onClick={() => setSearch({ tab: 'replay' })}>
              Replay events
            </Button>
          }
        >
          The events belong to requests from {exactTimeText(missed.from)} to {exactTimeText(missed.to)}.
        </Note>
      )}
      <EmitterFacts emitter={emitter} />
      <Tabs
        label="Emitter details"
        chosen={tab}
        onChoose={(next) => setSearch({ tab: next === 'deliveries' ? null : next })}
        tabs={[
          { id: 'deliveries', words: 'Deliveries', content: <Deliveries id={id} /> },
          { id: 'test', words: 'Sample', content: <Sample emitter={emitter} /> },
          { id: 'replay', words: 'Replay', content: <Replay emitter={emitter} may={may} /> },
          ...(emitter.kind === 'webhook'
            ? [
                {
                  id: 'verify',
                  words: 'Verify',
                  content: <VerifyTab emitter={emitter} ifMatch={ifMatch} may={may} />,
                },
              ]
            : []),
        ]}
      />
      <Removal emitter={emitter} ifMatch={ifMatch} may={may} />
    </div>
  )
}

function EmitterFacts({ emitter }: { readonly emitter: Emitter }): ReactNode {
  const credential = kinds[emitter.kind as Kind]?.credential
  return (
    <Facts
      facts={[
        ['State', <State key="state" {...stateOf(emitter)} />],
        ['Kind', kindWords(emitter.kind)],
        ['Destination', <Id key="destination" text={emitter.destination} />],
        [
          credential ? credential[1] : 'Signing secret',
          <code key="secret" className="text-13">
            ••••{emitter.lastFour}
          </code>,
        ],
        emitter.eventType === null ? null : ['Event type', <Id key="type" text={emitter.eventType} />],
        emitter.eventName === null ? null : ['Event name', <Id key="name" text={emitter.eventName} />],
        ['Customer ID', customerIdWords(emitter.customerId)],
        ['Events for', emitter.livemode ? 'Live requests' : 'Test requests'],
        [
          'Delivered',
          <span key="delivered">
            <Count of={emitter.delivered} /> events, last <When at={emitter.lastDeliveredAt} reason="never" />
          </span>,
        ],
        [
          'Not delivered',
          <span key="not">
            <Count of={emitter.notDelivered} /> events, last <When at={emitter.lastFailedAt} reason="never" />
          </span>,
        ],
        [
          'Dropped',
          <span key="dropped" title="Not attempted, because 10,000 events were already waiting">
            <Count of={emitter.dropped} /> events
          </span>,
        ],
        ['Added', <When key="created" at={emitter.createdAt} />],
      ]}
    />
  )
}

function OnSwitch({
  emitter: { enabled, id, name },
  ifMatch,
  may,
}: {
  readonly emitter: Emitter
  readonly ifMatch: { readonly ifMatch?: string }
  readonly may: boolean
}): ReactNode {
  const change = useChange('emitters.update')
  const [isAsked, setAsked] = useState(false)
  const turn = async (on: boolean): Promise<void> => {
    await change.mutateAsync({ id, enabled: on, ...ifMatch })
    toast(on ? `Turned on ${name}` : `Turned off ${name}`)
  }
  return (
    <span className="flex items-center gap-2">
      {may && (
        <Switch
          label={enabled ? 'Turn off emitter' : 'Turn on emitter'}
          isOn={enabled}
          isBusy={change.isPending}
          onChange={(on) => (on ? void turn(true).catch(() => {}) : setAsked(true))}
        />
      )}
      <span className="text-14">{enabled ? 'On' : 'Off'}</span>
      {change.error && <FailureNote error={change.error} />}
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={<>Turn off {name}?</>}
        action="Turn off emitter"
        onConfirm={() => turn(false)}
      >
        <p>Deliveries stop immediately. Waiting events are discarded, and a running replay is stopped.</p>
        <p>
          Settings are kept, and requests are still recorded and charged. You can replay missed events after
          you turn the emitter on again.
        </p>
      </Confirm>
    </span>
  )
}

function VerifyTab({
  emitter,
  ifMatch,
  may,
}: {
  readonly emitter: Emitter
  readonly ifMatch: { readonly ifMatch?: string }
  readonly may: boolean
}): ReactNode {
  const [isRotating, setRotating] = useState(false)
  const { lastFour, previousSecretEndsAt } = emitter
  return (
    <div className="flex flex-col gap-3">
      <p className="text-14 text-ink-2">
        Each delivery has a <code>svc-signature</code> header, computed from the body with the secret that
        ends in <code>{lastFour}</code>. Reject deliveries without a valid signature. Standard Webhooks
        libraries verify the <code>webhook-signature</code> header instead.
      </p>
      {isAhead(previousSecretEndsAt) && (
        <Note title="Deliveries are signed with two secrets">
          The previous secret expires <When at={previousSecretEndsAt} />. Replace the previous secret in your
          receiver before this time.
        </Note>
      )}
      <div>
        <Button disabled={!may} onClick={() => setRotating(true)}>
          Rotate secret
        </Button>
      </div>
      <Verification />
      {isRotating && <RotateSecret emitter={emitter} ifMatch={ifMatch} onClose={() => setRotating(false)} />}
    </div>
  )
}

function isAhead(at: string | null): boolean {
  return at !== null && realNow() < Date.parse(at)
}

function Removal({
  emitter: { id, kind, name },
  ifMatch,
  may,
}: {
  readonly emitter: Emitter
  readonly ifMatch: { readonly ifMatch?: string }
  readonly may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  return (
    <section className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
      <ConfirmedChange
        operation="emitters.rm"
        input={{ id }}
        ifMatch={ifMatch}
        action="Delete emitter"
        isDisabled={!may}
        title={
          <>
            Delete <bdi>{name}</bdi>?
          </>
        }
        name={name}
        onDone={() => {
          toast(`Deleted ${name}`)
          setSearch(closed)
        }}
      >
        <p>
          Deliveries stop immediately. The {kind === 'webhook' ? 'signing secret' : 'credential'}, the list of
          deliveries and waiting events are deleted. This can't be undone.
        </p>
        <p>Recorded usage is kept. You can replay recorded usage to another emitter.</p>
      </ConfirmedChange>
    </section>
  )
}
