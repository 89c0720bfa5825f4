import { sql, startPostgres, type PostgresServer } from '../tests/support/start-postgres.ts'

/** The server has full durability. */
export async function withDatabase(
  work: (database: { readonly server: PostgresServer; readonly url: string }) => Promise<void>,
): Promise<void> {
  const server = await startPostgres({ isDurable: true })
  const pid = server.pid()
  // SIGQUIT ends the database immediately, so that an interrupted run leaves no process. Its data is not used again.
  const quit = (): void => void process.kill(pid, 'SIGQUIT')
  process.on('exit', quit)
  await sql(server.url('postgres'), 'CREATE DATABASE bench')
  await work({ server, url: server.url('bench') })
  process.off('exit', quit)
  await server.end()
}
