import type { ReactNode } from 'react'
import type { OutcomeRun } from '#sdk/generated/types.ts'
import { SelectField, useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { FormDialog } from '../../form-dialog.tsx'

/** After the run is finished, further requests in the run are rejected. */
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
      toast(`Run ${run.id} finished as ${result}.`)
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={
        <>
          Finish run <bdi className="wrap-anywhere">{run.id}</bdi>
        </>
      }
      about="New requests in this run will be rejected. Requests in progress will finish and will be charged. The result can't be changed later."
      form={form}
      action={form.values.result === 'failed' ? 'Finish run as failed' : 'Finish run as done'}
      busyAction="Finishing"
      operation="outcomes.finish"
      input={inputOf(form.values.result)}
    >
      <p className="text-14">
        <bdi>{run.endUserId}</bdi> has spent <Money micros={run.spentMicros} /> in {run.calls}{' '}
        {run.calls === 1 ? 'request' : 'requests'} of this run.
      </p>
      <SelectField
        form={form}
        name="result"
        label="Result"
        options={[
          ['done', 'Done: the run reached its goal'],
          ['failed', 'Failed: the run stopped for a reason other than money'],
        ]}
      />
    </FormDialog>
  )
}
