import { kindFacts, providerKindNames } from '#domain/accounts/provider-kinds.ts'

export function consoleKinds(): string {
  const rows = providerKindNames.map((kind) => {
    const { billsSearchUnits = false, name, onClientLeft, place, reportedDimensions } = kindFacts(kind)
    const facts = [
      `words: '${name}'`,
      `place: '${place}'`,
      `onClientLeft: '${onClientLeft}'`,
      `billsSearchUnits: ${billsSearchUnits}`,
      `requiredRates: [${reportedDimensions.map((dimension) => `'${dimension}'`).join(', ')}]`,
    ]
    return `  ${kind}: { ${facts.join(', ')} },`
  })
  return `/** The kinds of provider. Written by npm run generate from src/domain/accounts/provider-kinds.ts. */
export const kinds = {
${rows.join('\n')}
} as const
`
}
