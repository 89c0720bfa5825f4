import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { RateLimit } from '#sdk/generated/types.ts'
import { useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { FormDialog } from '../form-dialog.tsx'
import { ChangedMeanwhile, type Revised } from '../forms-with-revision.tsx'
import { reloadAfter } from '../operations/reload-outdated-responses.ts'
import type { OperationId } from '../operations/use-operation.ts'
import { draftsFault, draftsOf, limitsOfDrafts, newDraft, type LimitDraft } from './limits-as-typed.ts'
import { LimitRows } from './edit-limit-rows.tsx'

export function LimitsDialog({
  about,
  ifMatch: read = {},
  inputOf,
  limits,
  note,
  onClose,
  operation,
  save,
  title,
}: {
  readonly title: ReactNode
  readonly about: string
  /** The usage that counts toward the limits, as a sentence. */
  readonly note: string
  readonly limits: readonly RateLimit[]
  /** The revision of the limits. Omit if the operation has no `If-Match`. */
  readonly ifMatch?: Revised<unknown>['ifMatch']
  readonly save: (limits: RateLimit[], ifMatch: Revised<unknown>['ifMatch']) => Promise<unknown>
  /** `CopyAs` shows the operation and its input as code. */
  readonly operation: OperationId
  readonly inputOf: (limits: RateLimit[]) => object
  readonly onClose: () => void
}): ReactNode {
  // The page may reload while the dialog is open. The revision must be that of the limits in the form.
  const [ifMatch] = useState(read)
  const queries = useQueryClient()
  const form = useForm({
    draft: null,
    initial: { limits: JSON.stringify(limits.length === 0 ? [newDraft] : draftsOf(limits)) },
    check(values) {
      const fault = draftsFault(draftsIn(values))
      return fault === undefined ? {} : { limits: fault }
    },
    async send(values) {
      const next = limitsOfDrafts(draftsIn(values))
      await save(next, ifMatch)
      toast(next.length === 0 ? 'Limits removed.' : 'Limits saved.')
      onClose()
    },
  })
  const drafts = draftsIn(form.values)
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      about={`${about} The limits apply to new requests. Windows end at full minutes, hours or days in UTC, and weeks start on Monday. The 5-hour window is rolling.`}
      form={form}
      action="Save limits"
      busyAction="Saving"
      operation={operation}
      input={inputOf(limitsOfDrafts(drafts))}
    >
      <LimitRows
        drafts={drafts}
        fault={form.faults.limits}
        onChange={(next) => form.set('limits', JSON.stringify(next))}
      />
      <ChangedMeanwhile
        failure={form.failure}
        onReload={() => void reloadAfter(queries, operation).then(onClose)}
      />
      <p className="text-13 text-ink-3">
        Models are patterns such as <code>acme/*</code>, separated by commas. {note}
      </p>
    </FormDialog>
  )
}

function draftsIn({ limits }: { readonly limits: string }): readonly LimitDraft[] {
  return JSON.parse(limits) as LimitDraft[]
}
