import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Emitter } from '#sdk/generated/types.ts'
import { SelectField, useForm } from '#web/ui/form.tsx'
import { gracePeriods } from '#web/ui/key-rotation-grace-periods.ts'
import { SecretDialog } from '#web/ui/secret-dialog.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { useChange, type AnswerOf } from '../../operations/use-operation.ts'
import { FormDialog } from '../../form-dialog.tsx'
import { ChangedMeanwhile } from '../../forms-with-revision.tsx'
import { reloadAfter } from '../../operations/reload-outdated-responses.ts'
import { Verification } from './how-to-verify-deliveries.tsx'

export function RotateSecret({
  emitter: { id, name },
  ifMatch: read,
  onClose,
}: {
  readonly emitter: Emitter
  readonly ifMatch: { readonly ifMatch?: string }
  readonly onClose: () => void
}): ReactNode {
  // If another member rotates the secret while the dialog is open, the new secret must not be replaced.
  const [ifMatch] = useState(read)
  const queries = useQueryClient()
  const rotate = useChange('emitters.rotateSecret')
  const [rotated, setRotated] = useState<AnswerOf<'emitters.rotateSecret'> | null>(null)
  const inputOf = ({ grace }: { readonly grace: string }) => ({ id, graceSeconds: Number(grace) })
  const form = useForm({
    draft: null,
    initial: { grace: gracePeriods[1][0] },
    fieldOf: { graceSeconds: 'grace' },
    async send(values) {
      setRotated(await rotate.mutateAsync({ ...inputOf(values), ...ifMatch }))
    },
  })
  if (rotated) {
    return (
      <SecretDialog
        title="New signing secret"
        about={
          <>
            Every delivery to <bdi className="wrap-anywhere">{name}</bdi> is signed with this secret.
            Deliveries are also signed with the previous secret until{' '}
            <When at={rotated.previousSecretEndsAt} isExact />.
          </>
        }
        secret={rotated.signingSecret}
        fileName=".env"
        fileText={`EMITTER_SECRET=${rotated.signingSecret}\n`}
        onClose={onClose}
      >
        <Verification />
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Rotate signing secret"
      about="Starting with the next delivery, all deliveries are signed with a new secret. Replace the secret in your receiver before the previous one expires. The new secret is shown once."
      form={form}
      action="Rotate secret"
      busyAction="Rotating"
      operation="emitters.rotateSecret"
      input={inputOf(form.values)}
    >
      <SelectField
        form={form}
        name="grace"
        label="Previous secret"
        help="Until the previous secret expires, each delivery has two signatures, one from each secret. Your receiver must accept either signature."
        options={gracePeriods}
      />
      <ChangedMeanwhile
        failure={form.failure}
        onReload={() => void reloadAfter(queries, 'emitters.rotateSecret').then(onClose)}
      />
    </FormDialog>
  )
}
