/** Shows how a receiver verifies a delivery. */
import { useState, type ReactNode } from 'react'
import { Segments } from '#web/ui/choices.tsx'
import { CodeBlock } from '#web/ui/copy.tsx'

const snippets = {
  typescript: `import { verifyWebhook } from 'tollgate-sdk'

export async function POST(request: Request) {
  const batch = await verifyWebhook(
    await request.text(), // the unchanged body
    request.headers.get('svc-signature'),
    process.env.EMITTER_SECRET,
  )
  for (const event of batch.events) {
    // Deliveries may be repeated. Count each event once.
    await record(event.idempotencyKey, event.billedAmountMicros)
  }
  return new Response(null, { status: 204 })
}
`,
  python: `import os
from tollgate_client import verify_webhook

@app.post("/usage")
async def usage(request: Request):
    batch = verify_webhook(
        await request.body(),  # the unchanged body
        request.headers.get("svc-signature"),
        os.environ["EMITTER_SECRET"],
    )
    for event in batch.events:
        # Deliveries may be repeated. Count each event once.
        record(event.idempotency_key, event.billed_amount_micros)
    return Response(status_code=204)
`,
} as const

export function Verification(): ReactNode {
  const [language, setLanguage] = useState<keyof typeof snippets>('typescript')
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
      <CodeBlock label="Signature verification" text={snippets[language]} />
    </div>
  )
}
