/** What the first call cost, to the micro, once it has settled; and the key that was minted here, once. */
import { useState, type ReactNode } from 'react'
import { SecretDialog } from '#web/ui/secret.tsx'
import { Facts, Section } from '#web/ui/layout.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Count, Duration, Id, Money, When } from '#web/ui/values.tsx'
import { useAnswer } from '../../calls.ts'
import { Go, UserLink } from '../../shell/go.tsx'
import { useFirstKey, type FirstKey } from './first-key.ts'

export function FirstReceipt({ isSettled }: { readonly isSettled: boolean }): ReactNode {
  const held = useFirstKey()
  return (
    <>
      {held && <Shown key={held.key} held={held} />}
      {isSettled && <Receipt />}
    </>
  )
}

function Shown({ held: { endUserId, key } }: { readonly held: FirstKey }): ReactNode {
  const [isOpen, setOpen] = useState(true)
  if (!isOpen) return null
  return (
    <SecretDialog
      title="The key is minted"
      about={`It spends as ${endUserId}. Keep it where your program reads it.`}
      secret={key}
      fileName=".env"
      fileText={`API_KEY=${key}\n`}
      onClose={() => setOpen(false)}
    />
  )
}

function Receipt(): ReactNode {
  const { data, error, refetch } = useAnswer('requests.list', { status: 'settled', limit: 1 })
  const call = data?.data[0]
  if (error) return <FailureNote error={error} onRetry={() => void refetch()} />
  if (!call) return null
  return (
    <Section
      title="The receipt"
      about="Of the newest call that has settled."
      className="mt-8"
      action={
        <Go to="/requests/$id" params={{ id: call.id }}>
          Why it cost that
        </Go>
      }
    >
      <p className="mb-3 text-28 font-semibold" data-receipt={call.id}>
        <Money micros={call.chargeMicros} />
      </p>
      <Facts
        facts={[
          ['Call', <Id key="id" text={call.id} />],
          ['Person', call.endUserId === null ? null : <UserLink key="person" id={call.endUserId} />],
          ['Name', call.requestedModel === null ? null : <Id key="name" text={call.requestedModel} />],
          [
            'Tokens',
            <span key="tokens">
              <Count of={call.inputTokens} /> in, <Count of={call.outputTokens} /> out
            </span>,
          ],
          ['It cost you', <Money key="cost" micros={call.costMicros} />],
          ['Took', <Duration key="took" ms={call.latencyMs} />],
          ['When', <When key="when" at={call.createdAt} />],
        ]}
      />
    </Section>
  )
}
