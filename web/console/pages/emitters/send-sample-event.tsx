import type { ReactNode } from 'react'
import type { Emitter, EmitterTest } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Duration, Id, Nothing } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useMay } from '../../sign-in/member-session.ts'

export function Sample({ emitter: { id, kind } }: { readonly emitter: Emitter }): ReactNode {
  const may = useMay('developer')
  const test = useChange('emitters.test')
  return (
    <div className="flex flex-col gap-4">
      <p className="text-14 text-ink-2">
        Sends one sample event for the organization, in up to three attempts of up to 10 seconds each.{' '}
        {kind !== 'webhook' &&
          'The vendor counts the event as usage of a customer with the organization’s ID.'}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          kind="primary"
          disabled={!may}
          isBusy={test.isPending}
          onClick={() => test.mutate({ id })}
          title={may ? undefined : 'Sending a sample requires the developer role.'}
        >
          Send sample
        </Button>
        <CopyAs operation="emitters.test" input={{ id }} />
      </div>
      <div aria-live="polite">
        {test.error && <FailureNote error={test.error} />}
        {test.data && <Outcome outcome={test.data} />}
      </div>
    </div>
  )
}

function Outcome({ outcome }: { readonly outcome: EmitterTest }): ReactNode {
  const { attempts, batchId, delivered, idempotencyKey, latencyMs, reason, sample, status } = outcome
  return (
    <div className="flex flex-col gap-3">
      <Facts
        facts={[
          [
            'Outcome',
            <State
              key="state"
              tone={delivered ? 'positive' : 'negative'}
              words={delivered ? 'Accepted' : 'Not accepted'}
            />,
          ],
          reason === null
            ? null
            : [
                'Reason',
                <bdi key="reason" className="wrap-anywhere">
                  {reason}
                </bdi>,
              ],
          ['Status', status ?? <Nothing reason="No response" />],
          ['Attempts', <Count key="attempts" of={attempts} />],
          ['Duration', <Duration key="took" ms={latencyMs} />],
          [
            'Batch',
            batchId === null ? (
              <Nothing reason="The server is shutting down" />
            ) : (
              <Id key="batch" text={batchId} />
            ),
          ],
          ['Idempotency key', <Id key="key" text={idempotencyKey} />],
        ]}
      />
      <CodeBlock label="Event" text={JSON.stringify(sample, null, 2)} />
    </div>
  )
}
