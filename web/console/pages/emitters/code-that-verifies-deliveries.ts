export const verificationCode = {
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
