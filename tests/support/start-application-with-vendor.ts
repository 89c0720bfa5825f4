import OpenAI from 'openai'
import {
  connectAccount,
  makeApplication,
  startServer,
  type Application,
  type NamedAccount,
} from './start-product.ts'
import { startVendor, type Vendor, type VendorKind } from './simulated-vendor.ts'

export type VendorAccount = Pick<NamedAccount, 'kind' | 'model' | 'price'>

export interface VendorWorld {
  readonly app: Application
  readonly vendor: Vendor
  /** An official client that does not retry. */
  readonly openai: (apiKey: string) => OpenAI
  close(): Promise<void>
}

/** The vendor serves one account for each given label. */
export async function vendorWorld(accounts: Readonly<Record<string, VendorAccount>>): Promise<VendorWorld> {
  const server = await startServer()
  const app = await makeApplication(server)
  const vendor = await startVendor()
  for (const [label, account] of Object.entries(accounts))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await connectAccount(app, label, {
      ...account,
      baseUrl: vendor.baseUrls[vendorOf(account.kind)],
      apiKey: vendor.apiKey,
    })
  return {
    app,
    vendor,
    openai: (apiKey) => new OpenAI({ apiKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 }),
    async close() {
      await app.provider.close()
      await vendor.close()
      await server.close()
    },
  }
}

function vendorOf(kind: string): VendorKind {
  return kind === 'anthropic' || kind === 'google' ? kind : 'openai'
}
