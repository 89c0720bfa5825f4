import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { text } from '#operations/schemas.ts'
import { newToken } from '#operations/secrets.ts'
import { TokenView, tokenView } from './token-view.ts'

export default operation({
  id: 'tokens.create',
  method: 'POST',
  path: '/v1/application-keys',
  scope: 'organization',
  summary: 'Mint a control-plane token',
  description:
    'Makes an `sk_` token of this organization. Its secret is in this answer and nowhere else: only its hash is kept.',
  body: z.strictObject({
    label: text(64).meta({ description: 'Name for people.', examples: ['ci'] }),
  }),
  output: TokenView.extend({
    token: z.string().meta({ description: 'The secret, shown once.' }),
  }),
  answersSecret: true,
  async run({ body }, { nowMs, organization, ports, store }) {
    const { hash, secret, token } = newToken(organization, { label: body.label, nowMs }, ports)
    await store.tokens.insert(token, hash)
    return { ...tokenView(token), token: secret }
  },
})
