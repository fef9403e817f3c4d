using System.Xml;

namespace Workflow.Bpmn;

/// <summary>The namespaces of the dialects, and what they add to the standard.</summary>
internal static class BpmnNamespace
{
    public const string Model = "http://www.omg.org/spec/BPMN/20100524/MODEL";
    public const string Camunda = "http://camunda.org/schema/1.0/bpmn";
    public const string Zeebe = "http://camunda.org/schema/zeebe/1.0";
    public const string Modeler = "http://camunda.org/schema/modeler/1.0";

    /// <summary>The canonical steps in what our own renderer exports.</summary>
    public const string Step = "urn:workflow:definition";

    private static readonly HashSet<string> Harmless =
    [
        "", Model, Modeler, Step, "http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/XML/1998/namespace",
        "http://www.omg.org/spec/BPMN/non-normative/color/1.0", "http://bpmn.io/schema/bpmn/biocolor/1.0",
        "http://www.signavio.com", "http://www.signavio.com/bpmn20",
    ];

    /// <summary>Operaton went on with the extensions of Camunda 7 under a name of its own.</summary>
    public static string Known(string name) => name == "http://operaton.org/schema/1.0/bpmn" ? Camunda : name;

    /// <summary>Whether nothing of it can change what an element does.</summary>
    public static bool IsHarmless(string name) => Harmless.Contains(name);
}

/// <summary>An attribute with the place of its value.</summary>
internal sealed record BpmnAttribute(string Namespace, string Name, string Value, int Line, int Column);

/// <summary>A text of the file with the place at which it begins.</summary>
internal sealed record BpmnText(string Value, int Line, int Column)
{
    /// <summary>The place of a character of the text; approximate behind characters that XML writes as entities.</summary>
    public (int Line, int Column) At(int offset)
    {
        var before = Value.AsSpan(0, Math.Clamp(offset, 0, Value.Length));
        var lines = before.Count('\n');
        return lines == 0 ? (Line, Column + before.Length) : (Line + lines, before.Length - before.LastIndexOf('\n'));
    }
}

/// <summary>An element of the file with its place.</summary>
internal sealed class BpmnElement(string space, string kind, int line, int column, BpmnElement? parent)
{
    private readonly StringBuilder _text = new();
    private (int Line, int Column)? _textAt;

    public string Namespace => space;

    /// <summary>The local name, e.g. <c>scriptTask</c>.</summary>
    public string Kind => kind;

    public int Line => line;
    public int Column => column;
    public BpmnElement? Parent => parent;
    public List<BpmnElement> Children { get; } = [];
    public List<BpmnAttribute> Attributes { get; } = [];
    public string? Id => Attribute("id");
    public string? Title => Attribute("name");
    public BpmnText Text => new(_text.ToString(), _textAt?.Line ?? line, _textAt?.Column ?? column);
    public IEnumerable<BpmnElement> Extensions => Model("extensionElements").SelectMany(extension => extension.Children);

    /// <summary>Itself and everything below it; the reader bounds the depth.</summary>
    public IEnumerable<BpmnElement> All => Children.SelectMany(child => child.All).Prepend(this);

    public bool Is(string name) => kind == name && space == BpmnNamespace.Model;
    public IEnumerable<BpmnElement> Model(string name) => Children.Where(child => child.Is(name));

    public BpmnElement? Extension(string name, string of) =>
        Extensions.FirstOrDefault(child => child.Kind == name && child.Namespace == of);

    public string? Attribute(string name, string of = "") => Find(name, of)?.Value;

    /// <summary>An attribute that is true or false; what is neither is refused by <see cref="BpmnRules.CheckFlags"/>.</summary>
    public bool Flag(string name, bool otherwise = false) => FlagOf(Attribute(name)) ?? otherwise;

    /// <summary>A boolean as XML writes it; null where it is none.</summary>
    public static bool? FlagOf(string? text) => text?.Trim() switch { "true" or "1" => true, "false" or "0" => false, _ => null };

    public BpmnText? AttributeText(string name, string of = "") =>
        Find(name, of) is { } found ? new BpmnText(found.Value, found.Line, found.Column) : null;

    public void Append(string text, int atLine, int atColumn)
    {
        _textAt ??= (atLine, atColumn);
        _text.Append(text);
    }

    private BpmnAttribute? Find(string name, string of) =>
        Attributes.Find(attribute => attribute.Name == name && attribute.Namespace == of);
}

/// <summary>Reads XML as hostile input: no document type, nothing from elsewhere, bounded in size, depth and number.</summary>
internal static class BpmnXmlReader
{
    /// <summary>Bytes of a file at most.</summary>
    public const int MaxBytes = 4 * 1024 * 1024;

    /// <summary>Levels of elements at most.</summary>
    public const int MaxDepth = 64;

    /// <summary>Elements at most, those of the picture included.</summary>
    public const int MaxElements = 50_000;

    private const string Declarations = "http://www.w3.org/2000/xmlns/";

    private static readonly XmlReaderSettings Settings = new()
    {
        DtdProcessing = DtdProcessing.Prohibit,
        XmlResolver = null,
        IgnoreComments = true,
        IgnoreProcessingInstructions = true,
    };

    /// <summary>The root; null when there is a finding.</summary>
    public static BpmnElement? Read(ReadOnlyMemory<byte> xml, FindingList findings)
    {
        if (xml.Length > MaxBytes)
        {
            findings.AddToFile(1, 1, $"The file has {xml.Length} bytes; at most {MaxBytes} are read. Split it: one process to a file.");
            return null;
        }

        using var stream = new MemoryStream(xml.ToArray());
        try
        {
            using var reader = XmlReader.Create(stream, Settings);
            return Read(reader, findings);
        }
        catch (XmlException e)
        {
            findings.AddToFile(e.LineNumber, e.LinePosition, e.Message.Contains("DTD", StringComparison.Ordinal)
                ? "The file has a document type (<!DOCTYPE …>), which is never read: it can name other files and grow without bound. "
                    + "Remove it."
                : $"The file is not well-formed XML: {Reason(e.Message)} Export it again from the editor, as UTF-8.");
        }
        catch (NotSupportedException e)
        {
            findings.AddToFile(1, 1, $"The file's encoding is not read: {e.Message} Send UTF-8.");
        }

        return null;
    }

    private static BpmnElement? Read(XmlReader reader, FindingList findings)
    {
        var place = (IXmlLineInfo)reader;
        var count = 0;
        BpmnElement? root = null;
        BpmnElement? current = null;
        while (reader.Read())
        {
            switch (reader.NodeType)
            {
                case XmlNodeType.Element:
                    if (reader.Depth >= MaxDepth || ++count > MaxElements)
                    {
                        findings.AddToFile(place.LineNumber, place.LinePosition - 1, reader.Depth >= MaxDepth
                            ? $"Elements nest deeper than {MaxDepth} levels here. Move inner sub-processes into processes of their own."
                            : $"The file has more than {MaxElements} elements. Split it: one process to a file.");
                        return null;
                    }

                    var isEmpty = reader.IsEmptyElement;
                    var element = Element(reader, place, current);
                    current?.Children.Add(element);
                    root ??= element;
                    current = isEmpty ? current : element;
                    break;
                case XmlNodeType.EndElement:
                    current = current!.Parent;
                    break;
                case XmlNodeType.Text or XmlNodeType.CDATA or XmlNodeType.SignificantWhitespace or XmlNodeType.Whitespace:
                    current?.Append(reader.Value, place.LineNumber, place.LinePosition);
                    break;
            }
        }

        return root;
    }

    private static BpmnElement Element(XmlReader reader, IXmlLineInfo place, BpmnElement? parent)
    {
        var space = BpmnNamespace.Known(reader.NamespaceURI);
        var element = new BpmnElement(space, reader.LocalName, place.LineNumber, place.LinePosition - 1, parent);
        while (reader.MoveToNextAttribute())
        {
            if (reader.NamespaceURI != Declarations)
            {
                element.Attributes.Add(new(BpmnNamespace.Known(reader.NamespaceURI), reader.LocalName, reader.Value,
                    place.LineNumber, place.LinePosition + reader.Name.Length + 2));
            }
        }

        reader.MoveToElement();
        return element;
    }

    // The library appends its own position.
    private static string Reason(string message)
    {
        var end = message.IndexOf(" Line ", StringComparison.Ordinal);
        return end < 0 ? message : message[..end];
    }
}
