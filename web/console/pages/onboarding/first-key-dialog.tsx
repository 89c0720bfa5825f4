/** The key that was minted on this page, shown once. */
import { useState, type ReactNode } from 'react'
import { SecretDialog } from '#web/ui/secret.tsx'
import { useFirstKey, type FirstKey } from './first-key.ts'

export function FirstKeyDialog(): ReactNode {
  const held = useFirstKey()
  return held && <Shown key={held.key} held={held} />
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
