using System.Collections.Immutable;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace UnitTests.HouseStyle;

/// <summary>One type that uses another of the same assembly, each by the full name of its outermost type.</summary>
internal readonly record struct TypeUse(string From, string To);

/// <summary>
/// Which types of one assembly use which, read from its metadata: signatures, base types, constraints, attributes and the code of methods,
/// closures and state machines included. Source text would not do: within a common parent namespace a use needs no <c>using</c>. What a
/// compiler leaves no trace of, constants and <c>nameof</c>, is not seen.
/// </summary>
internal sealed class NamespaceUses : ISignatureTypeProvider<int, int>
{
    private static readonly Dictionary<short, OperandType> Operands = typeof(OpCodes).GetFields()
        .Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value, code => code.OperandType);

    private readonly MetadataReader _reader;
    private readonly PEReader _file;
    private readonly HashSet<TypeDefinitionHandle> _used = [];

    private NamespaceUses(PEReader file) => (_file, _reader) = (file, file.GetMetadataReader());

    public static IReadOnlySet<TypeUse> Of(string assembly)
    {
        using var file = new PEReader(File.OpenRead(assembly));
        var uses = new NamespaceUses(file);
        return uses._reader.TypeDefinitions.SelectMany(uses.Of).ToHashSet();
    }

    /// <summary>The assemblies that this one was compiled against and uses.</summary>
    public static IReadOnlyList<string> ReferencesOf(string assembly)
    {
        using var file = new PEReader(File.OpenRead(assembly));
        var reader = file.GetMetadataReader();
        return [.. reader.AssemblyReferences.Select(handle => reader.GetString(reader.GetAssemblyReference(handle).Name))];
    }

    public static string NamespaceOf(string type) => type.LastIndexOf('.') is >= 0 and var dot ? type[..dot] : "";

    private IEnumerable<TypeUse> Of(TypeDefinitionHandle handle)
    {
        _used.Clear();
        var type = _reader.GetTypeDefinition(handle);
        Add(type.BaseType);
        Add(type.GetCustomAttributes());
        Add(type.GetGenericParameters());
        foreach (var implemented in type.GetInterfaceImplementations())
        {
            Add(_reader.GetInterfaceImplementation(implemented).Interface);
        }

        foreach (var field in type.GetFields().Select(_reader.GetFieldDefinition))
        {
            field.DecodeSignature(this, 0);
            Add(field.GetCustomAttributes());
        }

        foreach (var property in type.GetProperties())
        {
            Add(_reader.GetPropertyDefinition(property).GetCustomAttributes());
        }

        foreach (var method in type.GetMethods().Select(_reader.GetMethodDefinition))
        {
            Add(method);
        }

        var from = OutermostName(handle);
        return _used.Select(OutermostName).Where(to => to != from).Distinct().Select(to => new TypeUse(from, to)).ToList();
    }

    private void Add(MethodDefinition method)
    {
        method.DecodeSignature(this, 0);
        Add(method.GetCustomAttributes());
        Add(method.GetGenericParameters());
        if (method.RelativeVirtualAddress == 0)
        {
            return;
        }

        var body = _file.GetMethodBody(method.RelativeVirtualAddress);
        if (!body.LocalSignature.IsNil)
        {
            _reader.GetStandaloneSignature(body.LocalSignature).DecodeLocalSignature(this, 0);
        }

        foreach (var region in body.ExceptionRegions)
        {
            Add(region.CatchType);
        }

        AddCode(body.GetILReader());
    }

    private void AddCode(BlobReader code)
    {
        while (code.RemainingBytes > 0)
        {
            var first = code.ReadByte();
            var operand = Operands[first == 0xFE ? (short)(0xFE00 | code.ReadByte()) : first];
            switch (operand)
            {
                case OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType:
                    Add(MetadataTokens.EntityHandle(code.ReadInt32()));
                    break;
                case OperandType.InlineSwitch:
                    var targets = code.ReadInt32();
                    code.Offset += sizeof(int) * targets;
                    break;
                default:
                    code.Offset += Size(operand);
                    break;
            }
        }
    }

    private static int Size(OperandType operand) => operand switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        _ => 4,
    };

    private void Add(CustomAttributeHandleCollection attributes)
    {
        foreach (var attribute in attributes)
        {
            Add(_reader.GetCustomAttribute(attribute).Constructor);
        }
    }

    private void Add(GenericParameterHandleCollection parameters)
    {
        foreach (var constraint in parameters.SelectMany(parameter => _reader.GetGenericParameter(parameter).GetConstraints()))
        {
            Add(_reader.GetGenericParameterConstraint(constraint).Type);
        }
    }

    private void Add(EntityHandle handle)
    {
        if (handle.IsNil)
        {
            return;
        }

        switch (handle.Kind)
        {
            case HandleKind.TypeDefinition:
                _used.Add((TypeDefinitionHandle)handle);
                break;
            case HandleKind.TypeSpecification:
                _reader.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(this, 0);
                break;
            case HandleKind.MethodDefinition:
                _used.Add(_reader.GetMethodDefinition((MethodDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.FieldDefinition:
                _used.Add(_reader.GetFieldDefinition((FieldDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.MemberReference:
                Add(_reader.GetMemberReference((MemberReferenceHandle)handle).Parent);
                break;
            case HandleKind.MethodSpecification:
                var specification = _reader.GetMethodSpecification((MethodSpecificationHandle)handle);
                specification.DecodeSignature(this, 0);
                Add(specification.Method);
                break;
        }
    }

    private string OutermostName(TypeDefinitionHandle handle)
    {
        var type = _reader.GetTypeDefinition(handle);
        return type.GetDeclaringType() is { IsNil: false } outer
            ? OutermostName(outer)
            : $"{_reader.GetString(type.Namespace)}.{_reader.GetString(type.Name)}";
    }

    // A signature is read for the types it names; what it makes of them is of no interest, so every result is 0.
    public int GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind)
    {
        _used.Add(handle);
        return 0;
    }

    public int GetTypeFromSpecification(MetadataReader reader, int genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    public int GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => 0;
    public int GetPrimitiveType(PrimitiveTypeCode typeCode) => 0;
    public int GetArrayType(int elementType, ArrayShape shape) => 0;
    public int GetSZArrayType(int elementType) => 0;
    public int GetByReferenceType(int elementType) => 0;
    public int GetPointerType(int elementType) => 0;
    public int GetPinnedType(int elementType) => 0;
    public int GetModifiedType(int modifier, int unmodifiedType, bool isRequired) => 0;
    public int GetFunctionPointerType(MethodSignature<int> signature) => 0;
    public int GetGenericInstantiation(int genericType, ImmutableArray<int> typeArguments) => 0;
    public int GetGenericMethodParameter(int genericContext, int index) => 0;
    public int GetGenericTypeParameter(int genericContext, int index) => 0;
}
