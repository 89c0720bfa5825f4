import type { ReactNode } from 'react'
import { JoinPage } from './join-form.tsx'

/** The link of an invitation: it signs in who opens it, under the address that was invited. */
export default function Invite(): ReactNode {
  return (
    <JoinPage
      title="Join the team"
      about="You have been invited. The link works once."
      asksForEmail={false}
      then="/"
    />
  )
}
