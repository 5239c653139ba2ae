// The games of this browser. Only it knows their ids: the server lists no games.

export interface RecentGame {
  id: string;
  title: string;
  when: number;
  result: string;
}

const KEY = "murk.games";
const MOST = 30;

export function recentGames(): RecentGame[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? (found as RecentGame[]) : [];
  } catch {
    return [];
  }
}

/** Note a game, or what became of it. */
export function remember(game: RecentGame): void {
  const others = recentGames().filter(({ id }) => id !== game.id);
  const first = recentGames().find(({ id }) => id === game.id)?.when ?? game.when;
  store([{ ...game, when: first }, ...others].sort((a, b) => b.when - a.when).slice(0, MOST));
}

export function forget(id: string): void {
  store(recentGames().filter((game) => game.id !== id));
}

function store(games: RecentGame[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(games));
  } catch {
    // Then this browser does not remember.
  }
}
