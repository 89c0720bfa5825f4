import { useState, type ReactNode } from 'react'
import { FailureNote } from '#web/ui/failure.tsx'
import { SecretDialog } from '#web/ui/secret-dialog.tsx'
import { useFirstKey, type FirstKey } from './first-key-in-memory.ts'

export function FirstKeyDialog(): ReactNode {
  const held = useFirstKey()
  // A failed grant opens the dialog again if the user has closed it.
  return held && <Shown key={`${held.key} ${held.grantError === null}`} held={held} />
}

function Shown({ held: { endUserId, grantError, key } }: { readonly held: FirstKey }): ReactNode {
  const [isOpen, setOpen] = useState(true)
  if (!isOpen) return null
  return (
    <SecretDialog
      title="Key created"
      about={`The key spends the balance of ${endUserId}. Store the key where your program can read it.`}
      secret={key}
      fileName=".env"
      fileText={`API_KEY=${key}\n`}
      onClose={() => setOpen(false)}
    >
      {grantError !== null && (
        <FailureNote error={grantError} title="The key was created, but the grant was rejected." />
      )}
    </SecretDialog>
  )
}
