import type { ReactNode } from 'react'
import type { OutcomeRun } from '#sdk/generated/types.ts'
import { FormBody, SelectField, useForm } from '#web/ui/form.tsx'
import { Dialog } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/values.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'

/** Ends a run with its result; it takes no calls any more. */
export function FinishRun({
  onClose,
  run,
  slug,
}: {
  readonly slug: string
  readonly run: OutcomeRun
  readonly onClose: () => void
}): ReactNode {
  const finish = useChange('outcomes.finish')
  const inputOf = (result: string) => ({
    slug,
    id: run.id,
    endUserId: run.endUserId,
    status: result === 'failed' ? ('failed' as const) : ('done' as const),
  })
  const form = useForm({
    draft: null,
    initial: { result: 'done' },
    async send({ result }) {
      await finish.mutateAsync(inputOf(result))
      toast(`The run ${run.id} is ${result}.`)
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Finish the run <bdi className="wrap-anywhere">{run.id}</bdi>
        </>
      }
      about="Further calls in it are refused; those that are running end and are charged. The result stays."
    >
      <FormBody
        form={form}
        action={form.values.result === 'failed' ? 'Finish it as failed' : 'Finish it as done'}
        busyAction="Finishing"
        onCancel={onClose}
      >
        <p className="text-14">
          <bdi>{run.endUserId}</bdi> has spent <Money micros={run.spentMicros} /> in {run.calls}{' '}
          {run.calls === 1 ? 'call' : 'calls'} of it.
        </p>
        <SelectField
          form={form}
          name="result"
          label="Result"
          options={[
            ['done', 'Done: it reached its goal'],
            ['failed', 'Failed: it stopped for a reason that was not money'],
          ]}
        />
        <div>
          <CopyAs operation="outcomes.finish" input={inputOf(form.values.result)} />
        </div>
      </FormBody>
    </Dialog>
  )
}
