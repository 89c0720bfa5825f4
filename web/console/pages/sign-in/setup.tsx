import type { ReactNode } from 'react'
import { JoinPage } from './join-form.tsx'

/** The link that the first start prints: it makes the first owner. */
export default function Setup(): ReactNode {
  return (
    <JoinPage
      title="Set up Tollgate"
      about={() => 'You become the first owner of this organization, and invite the others.'}
      then="/onboarding"
    />
  )
}
