import type { ReactNode } from 'react'
import { When } from '#web/ui/formatted-values.tsx'
import { JoinPage } from './join-form.tsx'

/** The invited person signs in with the invited address. */
export default function Invite(): ReactNode {
  return (
    <JoinPage
      title="Join the team"
      about={({ email, expiresAt, organization, role }) => (
        <>
          You are invited to <bdi className="wrap-anywhere">{organization}</bdi> with the role {role}. You
          will sign in as <bdi className="wrap-anywhere">{email}</bdi>. The link works once and expires{' '}
          <When at={expiresAt} />.
        </>
      )}
      then="/"
    />
  )
}
