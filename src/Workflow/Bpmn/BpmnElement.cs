namespace Workflow.Bpmn;

/// <summary>An element of the file with its place.</summary>
internal sealed class BpmnElement(string space, string kind, int line, int column, BpmnElement? parent)
{
    private readonly StringBuilder _text = new();
    private Dictionary<string, string>? _prefixes;
    private (int Line, int Column)? _textAt;

    public string Namespace => space;

    /// <summary>The local name, e.g. <c>scriptTask</c>.</summary>
    public string Kind => kind;

    public int Line => line;
    public int Column => column;
    public BpmnElement? Parent => parent;
    public List<BpmnElement> Children { get; private init; } = [];
    public List<BpmnAttribute> Attributes { get; private init; } = [];
    public string? Id => Attribute("id");
    public string? Title => Attribute("name");
    public BpmnText Text => new(_text.ToString(), _textAt?.Line ?? line, _textAt?.Column ?? column);
    public IEnumerable<BpmnElement> Extensions =>
        Model("extensionElements").SelectMany(extension => extension.Children);

    /// <summary>Itself and everything below it; the reader bounds the depth.</summary>
    public IEnumerable<BpmnElement> All => Children.SelectMany(child => child.All).Prepend(this);

    public bool Is(string name) => kind == name && space == BpmnNamespace.Model;
    public IEnumerable<BpmnElement> Model(string name) => Children.Where(child => child.Is(name));

    public BpmnElement? Extension(string name, string of) =>
        Extensions.FirstOrDefault(child => child.Kind == name && child.Namespace == of);

    public string? Attribute(string name, string of = "") => Find(name, of)?.Value;

    /// <summary>
    /// An attribute that is true or false; what is neither is refused by <see cref="BpmnRules.CheckFlags"/>.
    /// </summary>
    public bool Flag(string name, bool otherwise = false) => FlagOf(Attribute(name)) ?? otherwise;

    /// <summary>A boolean as XML writes it; null where it is none.</summary>
    public static bool? FlagOf(string? text) =>
        text?.Trim() switch { "true" or "1" => true, "false" or "0" => false, _ => null };

    public BpmnText? AttributeText(string name, string of = "") =>
        Find(name, of) is { } found ? new BpmnText(found.Value, found.Line, found.Column) : null;

    public void Append(string text, int atLine, int atColumn)
    {
        _textAt ??= (atLine, atColumn);
        _text.Append(text);
    }

    /// <summary>Writes another text in place of the one of the file.</summary>
    public void Replace(string text) => _text.Clear().Append(text);

    public void Declare(string prefix, string namespaceName) =>
        (_prefixes ??= new(StringComparer.Ordinal))[prefix] = namespaceName;

    /// <summary>What a prefix stands for here; null where it is not declared.</summary>
    public string? NamespaceOf(string prefix) => _prefixes?.GetValueOrDefault(prefix) ?? parent?.NamespaceOf(prefix);

    /// <summary>The same in the place of another element, which refers to it.</summary>
    public BpmnElement InPlaceOf(BpmnElement reference) =>
        new(space, kind, reference.Line, reference.Column, reference.Parent)
            { Children = Children, Attributes = Attributes };

    private BpmnAttribute? Find(string name, string of) =>
        Attributes.Find(attribute => attribute.Name == name && attribute.Namespace == of);
}
