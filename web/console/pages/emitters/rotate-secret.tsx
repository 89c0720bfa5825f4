/** Replaces the signing secret of a webhook, and shows the new one once. */
import { useState, type ReactNode } from 'react'
import type { Emitter } from '#sdk/generated/types.ts'
import { FormBody, SelectField, useForm } from '#web/ui/form.tsx'
import { graces } from '#web/ui/graces.ts'
import { Dialog } from '#web/ui/overlays.tsx'
import { SecretDialog } from '#web/ui/secret.tsx'
import { When } from '#web/ui/values.tsx'
import { useChange, type AnswerOf } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { Verification } from './verification.tsx'

export function RotateSecret({
  emitter: { id, name },
  ifMatch,
  onClose,
}: {
  readonly emitter: Emitter
  readonly ifMatch: { readonly ifMatch?: string }
  readonly onClose: () => void
}): ReactNode {
  const rotate = useChange('emitters.rotateSecret')
  const [rotated, setRotated] = useState<AnswerOf<'emitters.rotateSecret'> | null>(null)
  const inputOf = ({ grace }: { readonly grace: string }) => ({ id, graceSeconds: Number(grace) })
  const form = useForm({
    draft: null,
    initial: { grace: graces[1][0] },
    fieldOf: { graceSeconds: 'grace' },
    async send(values) {
      setRotated(await rotate.mutateAsync({ ...inputOf(values), ...ifMatch }))
    },
  })
  if (rotated) {
    return (
      <SecretDialog
        title="The new signing secret"
        about={
          <>
            Every delivery to <bdi className="wrap-anywhere">{name}</bdi> is signed with it. The previous
            secret signs as well until <When at={rotated.previousSecretEndsAt} />.
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
    <Dialog
      isOpen
      onClose={onClose}
      title="Rotate the signing secret"
      about="A new secret signs deliveries, starting with the next one. Replace the secret in your receiver before the previous one ends. The new secret is shown once, right after."
    >
      <FormBody form={form} action="Rotate the secret" busyAction="Rotating" onCancel={onClose}>
        <SelectField
          form={form}
          name="grace"
          label="The previous secret"
          help="Until it ends, each delivery carries a signature of both secrets, and your receiver must accept either."
          options={graces}
        />
        <div>
          <CopyAs operation="emitters.rotateSecret" input={inputOf(form.values)} />
        </div>
      </FormBody>
    </Dialog>
  )
}
