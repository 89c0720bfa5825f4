import { useState, type ReactNode } from 'react'
import { JoinPage } from './join-form.tsx'

/** The link that the first start prints: it makes the first owner. */
export default function Setup(): ReactNode {
  // The link says where the first requests were made: `npm start` makes one in test mode.
  const [isTest] = useState(() => new URLSearchParams(location.search).get('mode') === 'test')
  return (
    <JoinPage
      title="Set up Tollgate"
      about={() => 'You become the first owner of this organization, and invite the others.'}
      then={isTest ? '/onboarding?mode=test' : '/onboarding'}
    />
  )
}
