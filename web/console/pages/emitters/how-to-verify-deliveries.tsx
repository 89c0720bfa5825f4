import { useState, type ReactNode } from 'react'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { verificationCode } from './code-that-verifies-deliveries.ts'

export function Verification(): ReactNode {
  const [language, setLanguage] = useState<keyof typeof verificationCode>('typescript')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Segments
        label="Language"
        value={language}
        options={[
          ['typescript', 'TypeScript'],
          ['python', 'Python'],
        ]}
        onChange={setLanguage}
      />
      <CodeBlock label="Signature verification" text={verificationCode[language]} />
    </div>
  )
}
