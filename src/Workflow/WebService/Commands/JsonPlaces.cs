using Workflow.Abstractions.Definitions.Compilation;

namespace Workflow.WebService.Commands;

/// <summary>
/// Finds where the paths of a definition's errors, e.g. <c>steps.route.cases[0].when</c>, stand in its text.
/// </summary>
internal sealed class JsonPlaces
{
    private readonly Dictionary<string, string> _places = new(StringComparer.Ordinal);

    private JsonPlaces()
    {
    }

    /// <summary>Reads the text as far as it is JSON; the place where it is not belongs to the empty path.</summary>
    public static JsonPlaces Read(ReadOnlySpan<byte> json)
    {
        var places = new JsonPlaces();
        try
        {
            places.ReadAll(json);
        }
        catch (JsonException e)
        {
            places._places[""] =
                string.Create(CultureInfo.InvariantCulture, $"{e.LineNumber + 1}:{e.BytePositionInLine + 1}");
        }

        return places;
    }

    /// <summary>Line and column, both from 1, of the path or of the nearest part of it that is there.</summary>
    public string Find(string path)
    {
        while (path.Length > 0 && !_places.ContainsKey(path))
        {
            path = path[..Math.Max(path.LastIndexOfAny(['.', '[']), 0)];
        }

        return _places.GetValueOrDefault(path, "1:1");
    }

    private void ReadAll(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = DefinitionCompiler.MaxJsonDepth });
        var around = new Stack<(string Path, int Next)>();
        var member = "";
        while (reader.Read())
        {
            if (reader.TokenType == JsonTokenType.PropertyName)
            {
                var parent = around.Peek().Path;
                member = parent.Length == 0 ? reader.GetString()! : $"{parent}.{reader.GetString()}";
                _places.TryAdd(member, PlaceOf(json, (int)reader.TokenStartIndex));
                continue;
            }

            if (reader.TokenType is JsonTokenType.EndObject or JsonTokenType.EndArray)
            {
                around.Pop();
                continue;
            }

            var path = PathOfValue(around, member, json, (int)reader.TokenStartIndex);
            if (reader.TokenType is JsonTokenType.StartObject or JsonTokenType.StartArray)
            {
                around.Push((path, reader.TokenType == JsonTokenType.StartArray ? 0 : -1));
            }
        }
    }

    private string PathOfValue(Stack<(string Path, int Next)> around, string member, ReadOnlySpan<byte> json, int start)
    {
        if (around.Count == 0 || around.Peek().Next < 0)
        {
            return member;
        }

        var (array, index) = around.Pop();
        around.Push((array, index + 1));
        var path = string.Create(CultureInfo.InvariantCulture, $"{array}[{index}]");
        _places.TryAdd(path, PlaceOf(json, start));
        return path;
    }

    private static string PlaceOf(ReadOnlySpan<byte> json, int offset)
    {
        var before = json[..offset];
        var line = before.Count((byte)'\n') + 1;
        var column = Encoding.UTF8.GetCharCount(before[(before.LastIndexOf((byte)'\n') + 1)..]) + 1;
        return string.Create(CultureInfo.InvariantCulture, $"{line}:{column}");
    }
}
