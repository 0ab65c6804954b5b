const TILE_PIXELS = 256;
const MAX_ZOOM = 19;
const MAX_TILES = 300;

/** Raster tiles from a URL template such as `https://tiles.example/{z}/{x}/{y}.png`. */
export class TilesLayer {
  #url;
  #tiles = new Map();
  #invalidate;

  constructor(url, invalidate) {
    this.#url = url;
    this.#invalidate = invalidate;
  }

  draw(context, { camera, palette }) {
    context.fillStyle = palette.land;
    context.fillRect(0, 0, camera.width, camera.height);
    const zoom = Math.max(0, Math.min(MAX_ZOOM, Math.round(camera.zoom)));
    const count = 2 ** zoom;
    const pixels = TILE_PIXELS * 2 ** (camera.zoom - zoom);
    const first = camera.toWorld({ x: 0, y: 0 });
    const last = camera.toWorld({ x: camera.width, y: camera.height });
    for (let row = Math.max(0, Math.floor(first.y * count)); row <= Math.min(count - 1, last.y * count); row += 1) {
      for (let column = Math.floor(first.x * count); column <= last.x * count; column += 1) {
        const image = this.#tile(zoom, ((column % count) + count) % count, row);
        if (!image) continue;
        // Not `toScreen`, because it uses one copy of the world, and the view may show several.
        const x = (column / count - camera.x) * camera.scale + camera.centerX;
        const { y } = camera.toScreen({ x: camera.x, y: row / count });
        // The extra half pixel hides seams between tiles.
        context.drawImage(image, x, y, pixels + 0.5, pixels + 0.5);
      }
    }
    return false;
  }

  /** Returns the tile's image; if it is not loaded yet, starts to load it and returns `null`. */
  #tile(zoom, column, row) {
    const url = this.#url.replace("{z}", zoom).replace("{x}", column).replace("{y}", row);
    let tile = this.#tiles.get(url);
    if (tile) {
      // Reinsert: a Map keeps insertion order, so the first entry is the least recently used.
      this.#tiles.delete(url);
    } else {
      tile = { image: new Image(), isReady: false };
      tile.image.onload = () => {
        tile.isReady = true;
        this.#invalidate();
      };
      tile.image.src = url;
      if (this.#tiles.size >= MAX_TILES) this.#tiles.delete(this.#tiles.keys().next().value);
    }
    this.#tiles.set(url, tile);
    return tile.isReady ? tile.image : null;
  }
}
