/** Starts `npm run published`. */
import { publishedCommand } from './published.ts';

await publishedCommand().parseAsync();
process.exit();
