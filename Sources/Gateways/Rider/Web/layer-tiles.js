const TILE_PIXELS = 256;
const HIGHEST_ZOOM = 19;
const KEPT = 300;

/** Raster tiles of a server of one's own, by its XYZ address such as `https://tiles.example/{z}/{x}/{y}.png`. */
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
    const zoom = Math.max(0, Math.min(HIGHEST_ZOOM, Math.round(camera.zoom)));
    const count = 2 ** zoom;
    const pixels = TILE_PIXELS * 2 ** (camera.zoom - zoom);
    const first = camera.toWorld({ x: 0, y: 0 });
    const last = camera.toWorld({ x: camera.width, y: camera.height });
    for (let row = Math.max(0, Math.floor(first.y * count)); row <= Math.min(count - 1, last.y * count); row += 1) {
      for (let column = Math.floor(first.x * count); column <= last.x * count; column += 1) {
        const image = this.#tile(zoom, ((column % count) + count) % count, row);
        if (!image) continue;
        // Columns repeat around the world, so their places are not those of the nearest copy.
        const x = (column / count - camera.x) * camera.scale + camera.centerX;
        const { y } = camera.toScreen({ x: camera.x, y: row / count });
        // Half a pixel more, or the seams between tiles show.
        context.drawImage(image, x, y, pixels + 0.5, pixels + 0.5);
      }
    }
    return false;
  }

  /** The tile, if it is here; else it is fetched. */
  #tile(zoom, column, row) {
    const url = this.#url.replace("{z}", zoom).replace("{x}", column).replace("{y}", row);
    let tile = this.#tiles.get(url);
    if (tile) {
      // The map keeps the order of insertion: what was used last is thrown away last.
      this.#tiles.delete(url);
    } else {
      tile = { image: new Image(), isReady: false };
      tile.image.onload = () => {
        tile.isReady = true;
        this.#invalidate();
      };
      tile.image.src = url;
      if (this.#tiles.size >= KEPT) this.#tiles.delete(this.#tiles.keys().next().value);
    }
    this.#tiles.set(url, tile);
    return tile.isReady ? tile.image : null;
  }
}
