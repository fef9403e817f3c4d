namespace LoadTesting.Core.Reporting.Html;

/// <summary>A heat map as a path for each shade: cells of one shade that lie side by side are one rectangle.</summary>
internal static class HeatShades
{
    private const int Shades = 5;

    public static IReadOnlyList<string> Draw(IReadOnlyList<long[]> columns, int first, int rows, long most)
    {
        var paths = Enumerable.Range(0, Shades).Select(_ => new System.Text.StringBuilder()).ToArray();
        for (var row = 0; row < rows; row++)
        {
            var (top, bottom) = (Y(rows - row - 1, rows), Y(rows - row, rows));
            for (var column = 0; column < columns.Count;)
            {
                var shade = Shade(columns[column][first + row], most);
                var from = column;
                while (column < columns.Count && Shade(columns[column][first + row], most) == shade)
                {
                    column++;
                }

                if (shade >= 0)
                {
                    var (x, end) = (Strip.ColumnWidth * from, Strip.ColumnWidth * column);
                    paths[shade].Append(CultureInfo.InvariantCulture, $"M{x} {top}H{end}V{bottom}H{x}z");
                }
            }
        }

        return [.. paths.Select(path => path.ToString())];
    }

    private static int Shade(long count, long most) =>
        count == 0 ? -1 : Math.Min(Shades - 1, (int)(Shades * Math.Log(count + 1) / Math.Log(most + 2)));

    private static int Y(int row, int rows) => row * Strip.Height / rows;
}
