/** The old key works until programs use the new key. */
import { useState, type ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { FormBody, SelectField, useForm } from '#web/ui/form.tsx'
import { gracePeriods } from '#web/ui/key-rotation-grace-periods.ts'
import { When } from '#web/ui/formatted-values.tsx'
import { outdateAll } from '#web/portal/response-cache.ts'
import { asked, client } from '#web/portal/end-user-session.ts'
import { Modal } from '#web/portal/ui/modal.tsx'
import { NewSecret } from './new-secret-shown-once.tsx'

export function ReplaceKey({
  of: key,
  onClose,
}: {
  readonly of: types.PortalKey
  readonly onClose: () => void
}): ReactNode {
  const [rotated, setRotated] = useState<types.RotatedKey | null>(null)
  const form = useForm({
    draft: null,
    initial: { grace: gracePeriods[1][0] },
    fieldOf: { graceSeconds: 'grace' },
    async send({ grace }) {
      const made = await asked(() => client.portal.rotateKey({ id: key.id, graceSeconds: Number(grace) }))
      outdateAll()
      setRotated(made)
    },
  })
  if (rotated !== null) {
    return (
      <NewSecret
        of={rotated}
        about={
          <>
            The old key expires <When at={rotated.replacedEndsAt} />.
          </>
        }
        onClose={onClose}
      />
    )
  }
  return (
    <Modal
      title={
        <>
          Replace key <bdi>{key.name}</bdi>
        </>
      }
      about="The new key has the same name and cap. Spending with the old key counts toward the cap of the new key. Update your programs before the old key expires."
      onClose={onClose}
    >
      <FormBody form={form} action="Replace key" onCancel={onClose} className="large-actions">
        <SelectField form={form} name="grace" label="Old key" options={gracePeriods} />
      </FormBody>
    </Modal>
  )
}
